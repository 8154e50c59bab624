import { useQueryClient } from '@tanstack/vue-query'
import type { Ref } from 'vue'
import type { HoldList, HoldView } from '../../../../queries/runs/holds.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type { HoldView }
/** What a hold covers: one run, or all runs of a project or of one of its suites. */
export type HoldScope = { readonly run_id: string } | { readonly project: string; readonly suite?: string }
export type NewHold = HoldScope & { readonly reference: string; readonly note?: string }

/** What a reference may be, as the server checks it. */
export const REFERENCE_PATTERN = '[A-Za-z0-9._:\\/\\-]{1,64}'
export const REFERENCE_TITLE = 'Letters, digits, and . _ : / - , at most 64'

/** What a hold covers, in words. */
export const scopeWords = ({ run_id, project, suite }: Pick<HoldView, 'run_id' | 'project' | 'suite'>): string =>
  run_id !== null
    ? `Run ${run_id}`
    : suite === null
      ? `All of ${visibleLine(project ?? '')}`
      : `${visibleLine(project ?? '')} / ${visibleLine(suite) || '(no name)'}`

/** Whether a hold is on a run, or on its suite or project. */
export const covers = (
  hold: Pick<HoldView, 'run_id' | 'project' | 'suite'>,
  run: { readonly id: string; readonly project: string | null; readonly suite: string | null },
): boolean =>
  hold.run_id === null
    ? hold.project === run.project && (hold.suite === null || hold.suite === run.suite)
    : hold.run_id === run.id

/** Whether a hold covers everything that another one covers, as far as their scopes show. */
export const coversScope = (
  hold: Pick<HoldView, 'run_id' | 'project' | 'suite'>,
  other: Pick<HoldView, 'run_id' | 'project' | 'suite'>,
): boolean =>
  other.run_id === null
    ? hold.run_id === null && hold.project === other.project && (hold.suite === null || hold.suite === other.suite)
    : hold.run_id === other.run_id

const PAGE_ROWS = 100

/** Legal holds, page by page, the newest first, and how to place and lift them. */
export const useHolds = (standing: Readonly<Ref<boolean>>) => {
  const client = useQueryClient()
  const list = useList({
    key: () => ['holds', standing.value],
    path: ([, isStanding], cursor) =>
      `/holds${queryOf({ standing: isStanding ? true : undefined, limit: PAGE_ROWS, cursor })}`,
    rows: (page: HoldList) => page.holds,
  })
  const refresh = (): Promise<unknown> =>
    Promise.all([['holds'], ['run']].map((queryKey) => client.invalidateQueries({ queryKey })))
  return {
    list,
    place: async (hold: NewHold): Promise<void> => {
      await api.post('/holds', hold)
      await refresh()
    },
    lift: async (id: string, reference: string): Promise<void> => {
      try {
        await api.post(`${pathTo('holds', id)}/lift`, { reference })
      } finally {
        await refresh()
      }
    },
  }
}
