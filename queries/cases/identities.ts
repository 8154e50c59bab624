import { CaseRow } from '../../domain/run/case-columns.ts'
import { any, numberList, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { columnList } from '../columns.ts'
import type { z } from 'zod'

const Identity = CaseRow.pick({
  run_no: true,
  n: true,
  case_key: true,
  name: true,
  test_id: true,
  provider_id: true,
  prompt_id: true,
  repeat: true,
})
export type Identity = z.infer<typeof Identity>
const COLUMNS = columnList('cases', Identity)

/** Where a case is: its run, and its index there. */
export type Place = { readonly run_no: number; readonly n: number }

/** Cases that one query reads. */
const CASES_PER_QUERY = 500

const placeKey = ({ run_no, n }: Place): string => `${run_no}:${n}`

/** What identifies the cases at these places. A place of a run that was deleted meanwhile has none. */
export const readIdentities = async (
  reader: Reader,
  places: readonly Place[],
): Promise<(place: Place) => Identity | undefined> => {
  const found = new Map<string, Identity>()
  for (const [run_no, ofRun] of Map.groupBy(places, (place) => place.run_no)) {
    for (let start = 0; start < ofRun.length; start += CASES_PER_QUERY) {
      const indexes = ofRun.slice(start, start + CASES_PER_QUERY).map(({ n }) => n)
      const rows = await reader.read(
        any(sql.type(Identity)`
          SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND n IN (${numberList(indexes)})`),
      )
      for (const row of rows) found.set(placeKey(row), row)
    }
  }
  return (place) => found.get(placeKey(place))
}
