import type { Target } from '../../interchange/convert/convert-source.ts'

/**
 * Makes questions about a run wait while the same run is on its way to the target: two files of one import may hold it. The
 * first question about a run begins its way; `finish` ends it.
 */
export const watchRuns = (
  target: Target,
): { readonly target: Target; readonly finish: (run_id: string | null) => void } => {
  const pending = new Map<string, PromiseWithResolvers<void>>()
  return {
    target: {
      content: (run_id) => target.content(run_id),
      ...(target.hasEvidence && { hasEvidence: target.hasEvidence }),
      known: async (run_id) => {
        for (let other = pending.get(run_id); other !== undefined; other = pending.get(run_id)) await other.promise
        pending.set(run_id, Promise.withResolvers())
        return target.known(run_id)
      },
    },
    finish: (run_id) => {
      if (run_id === null) return
      // A run that is stored under another id, such as `…~2`, was asked about under its own first.
      const own = run_id.replace(/~\d+$/, '')
      for (const [id, { resolve }] of pending) {
        if (id !== own && !id.startsWith(`${own}~`)) continue
        pending.delete(id)
        resolve()
      }
    },
  }
}
