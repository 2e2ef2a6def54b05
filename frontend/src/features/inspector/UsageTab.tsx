import { address, path } from '../../data/api/client'
import type { UsageOver } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { DownloadLink } from '../common/DownloadLink'
import { Empty } from '../../ui/Empty'
import { Icon } from '../../ui/Icon'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { lasted, money, short } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import { CompactionTable } from './CompactionTable'
import { CountTable } from './CountTable'
import { LatencyChart } from './LatencyChart'
import { SentimentChart } from './SentimentChart'
import { TokenChart } from './TokenChart'
import { NAMES, spent } from './usageSeries'
import './usage.css'

/** The cost of the branch: tokens, time, tools and models. */
export function UsageTab(): React.JSX.Element {
  const { cid, leaf } = useConversation()
  const got = useGet<UsageOver>(cid && path`/c/${cid}/usage`, { leaf }, { keep: true })
  return <Answered got={got}>{(usage) => <Known usage={usage} />}</Answered>
}

function Known({ usage }: { usage: UsageOver }): React.JSX.Element {
  const { cid, leaf } = useConversation()
  const kinds = spent(usage.totals)
  const timed = usage.points.some((point) => point.seconds !== null)
  const counted = usage.tools.length + usage.models.length + usage.words.length + usage.compactions.length
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
      <CompactionTable rows={usage.compactions} />
      {usage.words.map((one) => (
        <CountTable key={one.name} title={one.title} rows={one.values} />
      ))}
      {usage.sentiment.length > 1 && <SentimentChart values={usage.sentiment} />}
      <p className="usage-downloads">
        <DownloadLink className="button button-small" address={download('csv')}>
          <Icon name="download" /> CSV
        </DownloadLink>
        <DownloadLink className="button button-small" address={download('json')}>
          <Icon name="download" /> JSON
        </DownloadLink>
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
