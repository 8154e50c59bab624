import type { RouteLocationNormalizedLoaded } from 'vue-router'
import { runsIn } from '../../runs/compared-runs.ts'

/** What a page that can be shared is about. */
export type Subject =
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'case'; readonly id: string; readonly case_key: string }
  | {
      readonly kind: 'comparison'
      readonly base: string
      readonly head: string
      readonly columns: { readonly base_column: readonly string[]; readonly head_column: readonly string[] }
    }
  | { readonly kind: 'many'; readonly runs: readonly string[]; readonly base: string }
  | { readonly kind: 'suite'; readonly project: string; readonly suite: string }

/** The subjects of which there is a file. */
export type FileSubject = Exclude<Subject, { readonly kind: 'suite' | 'many' }>

/** The subject of the present page; null if it has none. */
export const subjectOf = ({ name, params, query }: RouteLocationNormalizedLoaded): Subject | null => {
  const param = (key: string): string => String(params[key] ?? '')
  const texts = (key: string): string[] => [query[key]].flat().filter((text) => typeof text === 'string')
  const columns = { base_column: texts('base_column'), head_column: texts('head_column') }
  switch (String(name)) {
    case 'case':
      return { kind: 'case', id: param('id'), case_key: param('case_key') }
    case 'compare':
      return { kind: 'comparison', base: param('base'), head: param('head'), columns }
    case 'compare-many': {
      const runs = runsIn(query['runs'])
      const [given = ''] = texts('base')
      return runs && { kind: 'many', runs, base: runs.includes(given) ? given : (runs[0] ?? '') }
    }
    case 'suite':
      return { kind: 'suite', project: param('project'), suite: param('suite') }
    case 'run':
    case 'matrix':
    case 'config':
    case 'document':
      return { kind: 'run', id: param('id') }
    default:
      return null
  }
}
