/** Notices from planning. */
export function Notices({ notices }: { notices: readonly string[] }): React.JSX.Element | null {
  if (notices.length === 0) return null
  return (
    <ul className="session-notices">
      {notices.map((notice, number) => (
        <li key={number}>{notice}</li>
      ))}
    </ul>
  )
}
