// Shown while no conversation is open: statistics of all of them.

import { useState } from 'react'
import type { StudioInfo, UsageStatistics } from '../../../data/api/types'
import { useGet } from '../../../data/api/use'
import { chooseFiles, importPlaces } from '../../importing/imports'
import { Button } from '../../../ui/Button'
import { Empty } from '../../../ui/Empty'
import { Menu } from '../../../ui/Menu'
import { money, short, whole } from '../../../lib/saying'
import { projectName, setFilters } from '../filters'
import { sumOf } from './bars'
import { DayBars, type Measure } from './DayBars'
import { FailedSources } from './FailedSources'
import { HeatMap } from './HeatMap'
import { HourMap } from './HourMap'
import { asCsv, download } from './tables'
import { TopList } from './TopList'
import './overview.css'

const SPANS = [
  [0, 'All time', 53],
  [365, 'A year', 53],
  [90, '90 days', 14],
  [30, '30 days', 6],
] as const

export default function Overview({ about }: { about: StudioInfo | null }) {
  const [span, setSpan] = useState<(typeof SPANS)[number]>(SPANS[0])
  const { data, error, again } = useGet<UsageStatistics>('/statistics', { since: sinceOf(span[0]) }, { keep: true })
  if (about && about.library.conversations === 0 && !about.job) {
    return (
      <div className="overview">
        <Begin readOnly={about.read_only} />
        <FailedSources readOnly={about.read_only} />
      </div>
    )
  }
  if (error && !data) {
    return (
      <Empty icon="error" title="The statistics could not be had" action={<Button onClick={again}>Try again</Button>}>
        {error.fault.message}
      </Empty>
    )
  }
  if (!data) return <div className="overview" aria-busy="true" />
  return (
    <div className="overview">
      <div className="overview-head">
        <h2>Overview</h2>
        <div className="overview-spans" role="group" aria-label="Time">
          {SPANS.map((one) => (
            <button
              key={one[1]}
              type="button"
              className="chart-measure"
              aria-pressed={one === span}
              onClick={() => setSpan(one)}
            >
              {one[1]}
            </button>
          ))}
        </div>
        <Menu
          label="Download the numbers"
          icon="download"
          items={[
            { key: 'csv', text: 'As CSV', run: () => download('talktree-statistics.csv', 'text/csv', asCsv(data)) },
            {
              key: 'json',
              text: 'As JSON',
              run: () => download('talktree-statistics.json', 'application/json', JSON.stringify(data, null, 2)),
            },
          ]}
        />
      </div>
      <Totals statistics={data} conversations={data.conversations} />
      <FailedSources readOnly={about?.read_only ?? true} />
      <HeatMap days={data.days} weeks={span[2]} />
      <div className="overview-two">
        <DayBars days={data.days} measures={measuresOf(data)} />
        {data.hours.length === 168 && <HourMap hours={data.hours} />}
      </div>
      <div className="overview-three">
        <TopList
          title="Projects"
          counted={data.projects}
          unit={['answer', 'answers']}
          nameOf={projectName}
          onPick={(project) => setFilters({ project })}
        />
        <TopList title="Tools" counted={data.tools} unit={['call', 'calls']} />
        <TopList title="Models" counted={data.models} unit={['answer', 'answers']} />
      </div>
      {data.words.length > 0 && (
        <div className="overview-three">
          {data.words.map((one) => (
            <TopList key={one.name} title={one.title} counted={one.values} unit={['message', 'messages']} />
          ))}
        </div>
      )}
    </div>
  )
}

function measuresOf(statistics: UsageStatistics): Measure[] {
  const measures: Measure[] = []
  if (sumOf(statistics.tokens) > 0) measures.push('tokens')
  if (statistics.cost) measures.push('cost')
  return [...measures, 'messages']
}

function Totals({ statistics, conversations }: { statistics: UsageStatistics; conversations: number }) {
  const facts: [string, string][] = [
    [whole(conversations), 'conversations'],
    [whole(statistics.messages), 'messages'],
    [short(statistics.tokens.input + statistics.tokens.output), 'tokens in and out'],
    [short(statistics.tokens.cache_read + statistics.tokens.cache_write), 'tokens through the cache'],
  ]
  if (statistics.cost !== null) facts.push([money(statistics.cost), 'spent'])
  return (
    <dl className="overview-totals">
      {facts.map(([value, name]) => (
        <div key={name} className="overview-total">
          <dd>{value}</dd>
          <dt>{name}</dt>
        </div>
      ))}
    </dl>
  )
}

function Begin({ readOnly }: { readOnly: boolean }) {
  const action = readOnly ? undefined : (
    <>
      <Button kind="primary" icon="import" onClick={() => chooseFiles()}>
        Choose files
      </Button>
      <Button onClick={() => void importPlaces(true)}>Import known places</Button>
    </>
  )
  return (
    <Empty icon="import" title="Nothing is here yet" action={action}>
      Drop conversations anywhere on this page. Or take in what the programs on this machine have kept. Files are read,
      never changed.
    </Empty>
  )
}

const DAY = 86_400_000

/** Returns the beginning of the day this many days ago; whole days, so that the query stays the same. */
function sinceOf(days: number): number | null {
  return days === 0 ? null : Math.floor(Date.now() / DAY - days) * DAY
}
