import type { LossSummary } from '../../data/api/types'
import { bytes, many } from '../../lib/amounts'
import { Icon } from '../../ui/Icon'
import { FATES, byKind, fatesOf, lossless } from './ledger'

/** What a conversion keeps and what it loses, before it is done. */
export function LedgerTable({ ledger }: { ledger: LossSummary }): React.JSX.Element {
  const fates = fatesOf(ledger.losses)
  return (
    <section className="work-ledger" aria-label="What is kept">
      {lossless(ledger) ? (
        <p className="work-good">
          <Icon name="check" /> Nothing is lost
          {ledger.carried > 0 &&
            `: ${many(ledger.carried, 'value')} (${bytes(ledger.carried_bytes)}) travel along for the way back`}
        </p>
      ) : (
        <p className="work-warn">
          <Icon name="warning" />{' '}
          {ledger.lost > 0 ? `${many(ledger.lost, 'value')} would be lost` : 'Some of it changes its form'}
        </p>
      )}
      {ledger.losses.length > 0 && (
        <div className="work-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">what</th>
                {fates.map((fate) => (
                  <th scope="col" key={fate} title={FATES[fate]}>
                    {fate}
                  </th>
                ))}
                <th scope="col">for example</th>
              </tr>
            </thead>
            <tbody>
              {byKind(ledger.losses).map((kind) => (
                <tr key={kind.kind}>
                  <th scope="row">{kind.kind.replaceAll('_', ' ')}</th>
                  {fates.map((fate) => {
                    const count = kind.fates.find((line) => line.kept === fate)?.count
                    return (
                      <td key={fate} className={count ? `work-fate-${fate}` : 'work-none'}>
                        {count?.toLocaleString('en') ?? '–'}
                      </td>
                    )
                  })}
                  <Example text={kind.fates.flatMap((line) => line.examples)[0] ?? ''} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {fates.length > 0 && (
        <dl className="work-fates">
          {fates.map((fate) => (
            <div key={fate}>
              <dt className={`work-fate-${fate}`}>{fate}</dt>
              <dd>{FATES[fate] ?? ''}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** Without the long name of its message, which is in the hint. */
function Example({ text }: { text: string }): React.JSX.Element {
  return (
    <td className="work-example" title={text}>
      {text.replace(/^[0-9a-f-]{20,}: /, '')}
    </td>
  )
}
