/** A run set; null is "no project" or "no suite". */
export type LiveSet = { readonly project: string | null; readonly suite: string | null }

/** What changed on the server, as the stream of events reports it. It holds no content. */
export type LiveChange = {
  readonly runs: ReadonlyArray<{ readonly id: string } & LiveSet>
  readonly baselines: readonly LiveSet[]
  /** Queues in which something happened. Earlier servers do not say it. */
  readonly reviews?: ReadonlyArray<{ readonly id: string } & LiveSet>
  readonly sets: readonly LiveSet[]
}

/** `access`: what the user may see changed. `reset`: what was missed is unknown. Both mean: fetch everything again. */
export type LiveEvent =
  | { readonly kind: 'changed'; readonly change: LiveChange }
  | { readonly kind: 'access' }
  | { readonly kind: 'reset' }

/** `off`: this page follows no changes. `stopped`: there is no stream now, so what is shown may be old. */
export type LiveState = 'off' | 'starting' | 'live' | 'stopped'

/** An event of the stream. Null for a kind that this version does not know. */
export const parseEvent = (kind: string | undefined, data: string): LiveEvent | null => {
  if (kind === 'access' || kind === 'reset') return { kind }
  return kind === 'changed' ? { kind, change: JSON.parse(data) as LiveChange } : null
}
