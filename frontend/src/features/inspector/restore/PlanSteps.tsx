import { useState } from 'react'
import type { PlanStep } from '../../../data/api/types'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { SafeHtml } from '../../common/SafeHtml'
import { ANSWERS, answer, type Choices } from './plan'

interface Props {
  steps: readonly PlanStep[]
  choices: Choices
  onChoose: (choices: Choices) => void
}

/** Each file with its action, the reason, and its changes. */
export function PlanSteps({ steps, choices, onChoose }: Props): React.JSX.Element {
  if (steps.length === 0) return <p className="inspector-note">No file changes.</p>
  const open = steps.filter((step) => step.conflict)
  const all = (given: string): void =>
    onChoose({ ...choices, ...Object.fromEntries(open.map((step) => [step.path, given])) })
  return (
    <>
      {open.length > 1 && (
        <p className="session-all">
          For all {open.length} conflicts:
          {(open[0]?.choices ?? []).map((given) => (
            <Button key={given} small onClick={() => all(given)}>
              {given}
            </Button>
          ))}
        </p>
      )}
      <ol className="session-steps">
        {steps.map((step) => (
          <Step
            key={step.path}
            step={step}
            given={answer(step, choices)}
            onChoose={(given) => onChoose({ ...choices, [step.path]: given })}
          />
        ))}
      </ol>
    </>
  )
}

interface StepProps {
  step: PlanStep
  given: string | null
  onChoose: (given: string) => void
}

function Step({ step, given, onChoose }: StepProps): React.JSX.Element {
  const [shown, setShown] = useState(step.conflict)
  return (
    <li className={step.conflict ? 'session-step session-conflict' : 'session-step'}>
      <div className="session-line">
        {step.conflict && <Icon name="warning" label="conflict" />}
        <span className="session-action">{step.action}</span>
        <span className="session-path">{step.path}</span>
        {step.html && (
          <Button small kind="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>
            {shown ? 'Hide changes' : 'Show changes'}
          </Button>
        )}
      </div>
      {step.reason && <p className="session-reason">{step.reason}</p>}
      {step.choices.length > 0 && (
        <fieldset className="session-choices">
          <legend className="sr-only">What to do about {step.path}</legend>
          {step.choices.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={`choice ${step.path}`}
                checked={given === choice}
                onChange={() => onChoose(choice)}
              />
              <span>
                <strong>{choice}</strong> <span className="work-soft">{ANSWERS[choice] ?? ''}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {shown && step.html && (
        <div className="session-diff" tabIndex={0} role="region" aria-label={`Changes of ${step.path}`}>
          <SafeHtml className="tt-content" html={step.html} />
        </div>
      )}
    </li>
  )
}
