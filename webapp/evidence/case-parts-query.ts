import { queryOptions } from '@tanstack/vue-query'
import type { EvidencePart } from '../../queries/evidence/evidence.ts'
import { api, pathTo } from '../api/api.ts'

/** The parts of a case. They are asked for once, whatever shows them, and again when the run gets more evidence. */
export const casePartsQuery = ({ id, case_key }: { readonly id: string; readonly case_key: string }) =>
  queryOptions({
    queryKey: ['run', id, 'case', case_key, 'parts'],
    queryFn: ({ signal }) => api.get<{ parts: EvidencePart[] }>(pathTo('runs', id, 'cases', case_key, 'parts'), signal),
    staleTime: Infinity,
    meta: { live: { run: id, baselines: false } },
  })

/** The name of a part, or the beginning of its digest. */
export const nameOfPart = ({ name, sha256 }: EvidencePart): string => name ?? sha256.slice(0, 12)
