import { listedNames } from '../../domain/text/listed-names.ts'
import { archiveKind } from '../read/magic.ts'
import type { Look } from '../read/look.ts'
import type { Claim, Importer } from './importer.ts'
import { atif } from './atif/atif.ts'
import { deepeval } from './deepeval/deepeval.ts'
import { mlflow } from './mlflow/mlflow.ts'
import { otlp } from './otlp/otlp.ts'
import { openaiEvals } from './openai-evals/openai-evals.ts'
import { everyEvalEver } from './every-eval-ever/every-eval-ever.ts'
import { helm } from './helm/helm.ts'
import { inspect } from './inspect/inspect.ts'
import { lmEval } from './lm-eval/lm-eval.ts'
import { junit } from './junit/junit.ts'
import { table } from './table/table.ts'
import { ctrf } from './ctrf/ctrf.ts'
import { ersExport } from './ers-export/ers-export.ts'
import { braintrust } from './braintrust/braintrust.ts'
import { langfuse } from './langfuse/langfuse.ts'
import { langsmith } from './langsmith/langsmith.ts'
import { phoenix } from './phoenix/phoenix.ts'
import { promptfoo } from './promptfoo/promptfoo.ts'
import { sweBench } from './swe-bench/swe-bench.ts'

/** Every importer. The order does not matter: a file that two of them claim is refused. */
export const IMPORTERS: readonly Importer[] = [
  promptfoo,
  inspect,
  openaiEvals,
  lmEval,
  mlflow,
  deepeval,
  everyEvalEver,
  helm,
  sweBench,
  junit,
  table,
  ctrf,
  phoenix,
  langsmith,
  langfuse,
  braintrust,
  ersExport,
  atif,
  otlp,
]

/** The format of the service's own run documents. */
const OWN_FORMAT = 'ers'

export const FORMATS: readonly string[] = [OWN_FORMAT, ...IMPORTERS.map(({ format }) => format)]

/** The format to read files as: the named one; with a map, a table; else null, each file is recognised by its content. */
export const formatFor = (named: string | null, map: string | undefined): string | null =>
  named ?? (map === undefined ? null : table.format)

const importerOf = (format: string): Importer | undefined => IMPORTERS.find((importer) => importer.format === format)

/** What a file was recognised as. */
export type Recognised =
  | { readonly kind: 'own' }
  | { readonly kind: 'claimed'; readonly importer: Importer; readonly claim: Claim }
  /** No importer claims it. The reason is for people. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Two importers claim it, or one knows that it cannot be imported. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Recognises a file by its content. With a format, only that one may claim it. */
export const recognise = (look: Look, format: string | null): Recognised => {
  if (format === OWN_FORMAT) return { kind: 'own' }
  if (format === null && isOwn(look)) return { kind: 'own' }
  const claims = IMPORTERS.filter((importer) => format === null || importer.format === format).flatMap((importer) => {
    const claim = importer.detect(look, format !== null)
    return claim === null ? [] : [{ importer, claim }]
  })
  if (claims.length === 0 && format === null && mentionsOwn(look)) return { kind: 'own' }
  if (claims.length === 0) return { kind: 'unknown', reason: unknownReason(look, format) }
  if (claims.length > 1) {
    const named = claims.map(({ importer, claim }) => `${importer.format} (${claim.reason})`).join(' or ')
    return { kind: 'refused', reason: `may be ${named}: say which with --from` }
  }
  const [{ importer, claim }] = claims as [(typeof claims)[number]]
  return claim.refused === undefined
    ? { kind: 'claimed', importer, claim }
    : { kind: 'refused', reason: `${importer.format}: ${claim.refused}` }
}

/** A run document of this service, or lines of them. */
const isOwn = ({ kind, keys }: Look): boolean =>
  (kind === 'json' || kind === 'lines') && keys.has('schema_version') && (keys.has('run_id') || keys.has('cases'))

/** A run document that is damaged or has unusual keys first, or lines of which the first is damaged. */
const mentionsOwn = ({ kind, text }: Look): boolean =>
  (kind === 'json' || kind === 'lines' || kind === 'text') &&
  text.includes('"schema_version"') &&
  (text.includes('"run_id"') || text.includes('"cases"'))

const unknownReason = (look: Look, format: string | null): string => {
  if (look.kind === 'zip') return archiveKind(look.entries)
  if (look.kind === 'parquet')
    return `a Parquet file that is no export of this service, with the columns ${shown(look.entries)}: write it as CSV or JSON Lines, and import that with --map`
  if (format !== null) return `is not a file of ${format}: ${importerOf(format)?.reads ?? 'unknown format'}`
  if (look.kind === 'empty') return 'the file is empty'
  if (look.kind === 'sqlite') return `a database of an unknown tool, with the tables ${shown([...look.tables.keys()])}`
  if (look.kind === 'xml') return `XML of an unknown tool, with the root <${look.root ?? '?'}>`
  if (look.kind === 'text') return 'a text in an unknown format; if it is a table, describe it with --map'
  return `JSON of an unknown tool, with the keys ${shown([...look.keys])}`
}

const MAX_SHOWN = 12

const shown = (names: readonly string[]): string => listedNames(names, MAX_SHOWN) || '(none)'
