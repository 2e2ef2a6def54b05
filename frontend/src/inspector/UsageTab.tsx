import { address, path } from '../api/client'
import type { UsageOver } from '../api/types'
import { useGet } from '../api/use'
import { Empty } from '../shell/Empty'
import { Icon } from '../shell/Icon'
import { useCurrent } from '../shell/current'
import { lasted, money, short } from './amounts'
import { Answered } from './Answered'
import { CountTable } from './CountTable'
import { LatencyChart } from './LatencyChart'
import { SentimentChart } from './SentimentChart'
import { TokenChart } from './TokenChart'
import { NAMES, spent } from './usageSeries'
import './usage.css'

/** What the branch cost: tokens, time, tools and models. */
export function UsageTab(): React.JSX.Element {
  const { cid, leaf } = useCurrent()
  const got = useGet<UsageOver>(cid && path`/c/${cid}/usage`, { leaf }, { keep: true })
  return <Answered got={got}>{(usage) => <Known usage={usage} />}</Answered>
}

function Known({ usage }: { usage: UsageOver }): React.JSX.Element {
  const { cid, leaf } = useCurrent()
  const kinds = spent(usage.totals)
  const timed = usage.points.some((point) => point.seconds !== null)
  const counted = usage.tools.length + usage.models.length + usage.topics.length
  if (kinds.length === 0 && !timed && counted === 0) {
    return <Empty icon="usage" title="This format says nothing about tokens, time or tools" />
  }
  const download = (as: string): string => address(path`/c/${cid ?? ''}/usage`, { leaf, as })
  return (
    <section aria-label="Usage" className="usage">
      <dl className="usage-facts">
        {kinds.map((kind) => (
          <Fact key={kind} name={NAMES[kind]} value={short(usage.totals[kind])} />
        ))}
        {usage.cost !== null && <Fact name="cost" value={money(usage.cost)} />}
        {usage.seconds_median !== null && <Fact name="answers, median" value={lasted(usage.seconds_median)} />}
        {usage.seconds_p90 !== null && <Fact name="slowest tenth" value={lasted(usage.seconds_p90)} />}
      </dl>
      {kinds.length > 0 && <TokenChart points={usage.points} kinds={kinds} />}
      {timed && <LatencyChart points={usage.points} />}
      <CountTable title="Tools" rows={usage.tools} />
      <CountTable title="Models" rows={usage.models} />
      <CountTable title="Topics" rows={usage.topics} />
      {usage.sentiment.length > 1 && <SentimentChart values={usage.sentiment} />}
      <p className="usage-downloads">
        <a className="button button-small" href={download('csv')} download>
          <Icon name="download" /> CSV
        </a>
        <a className="button button-small" href={download('json')} download>
          <Icon name="download" /> JSON
        </a>
      </p>
    </section>
  )
}

function Fact({ name, value }: { name: string; value: string }): React.JSX.Element {
  return (
    <div className="usage-fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
