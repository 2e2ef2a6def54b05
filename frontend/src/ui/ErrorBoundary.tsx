// Contains the error of a pane, so that the rest of the page keeps working.

import { Component, type ReactNode } from 'react'
import { Button } from './Button'
import { Empty } from './Empty'

interface Props {
  /** Its display name: "The library". */
  what: string
  /** A new key retries. */
  resetKey?: string | null
  children: ReactNode
}

interface State {
  error: Error | null
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  override componentDidUpdate(before: Props): void {
    if (before.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    const again = () => this.setState({ error: null })
    return (
      <Empty
        icon="error"
        title={`${this.props.what} could not be shown`}
        action={<Button onClick={again}>Try again</Button>}
      >
        <code>{error.message}</code>
      </Empty>
    )
  }
}
