import { hash } from 'node:crypto'
import { assertionName } from '../lists/assertion-name.ts'
import { isObject } from '../plain/is-object.ts'
import { canonicalJson, isRawNumber } from '../run/canonical-json.ts'
import { firstCodePoints, type CaseStatus, type NormalCase } from '../run/document.ts'
import { storableText } from '../text/stored-values.ts'

// Which judge gave a verdict. A judge is everything that may change its verdicts, as canonical JSON (RFC 8785). Its id is the
// beginning of the SHA-256 of this text. The address of a model is not in it: a gateway is the same judge.

/** The kinds whose assertions are judged. `exec` and `similar` are code, and count as judges where a suite says so. */
export const JUDGED_KINDS = ['llm-rubric', 'exec', 'similar'] as const
export type JudgedKind = (typeof JUDGED_KINDS)[number]

const KINDS: ReadonlySet<string> = new Set(JUDGED_KINDS)
export const isJudgedKind = (kind: string): kind is JudgedKind => KINDS.has(kind)

type Fields = Readonly<Record<string, unknown>>

/** What a judge is. A text that is too long is replaced by `sha256:` and its SHA-256. */
export type Judge = {
  readonly kind: JudgedKind
  /** The API of the model, as a suite names it. */
  readonly type: string | null
  /** The model that answered, else the one that was asked. */
  readonly model: string | null
  /** Without members that hold secrets; only a member `sha256` where they are too long. */
  readonly params: unknown
  /**
   * The SHA-256 of the text of the template. `builtin/1`: the one of this service. `file:` and a path: earlier versions recorded no
   * more. Null: not known.
   */
  readonly template: string | null
  readonly include_tool_calls: boolean
  readonly negate: boolean
  readonly threshold: number | null
  /** The SHA-256 of the command and the configuration of a program. */
  readonly program: string | null
}

/** The members of a judge. */
export const JUDGE_FIELDS = [
  'kind',
  'type',
  'model',
  'params',
  'template',
  'include_tool_calls',
  'negate',
  'threshold',
  'program',
] as const satisfies ReadonlyArray<keyof Judge>
export type JudgeField = (typeof JUDGE_FIELDS)[number]

const BUILT_IN = 'builtin/1'
/** Of `similar` in a suite that says none (specification). */
const SIMILAR_THRESHOLD = 0.8
/** Maximum length of the name of a metric in code points; a longer one is cut. */
export const MAX_METRIC = 200
const MAX_TEXT = 500
const MAX_PARAMS = 4_000
const ID_LENGTH = 32

const asFields = (value: unknown): Fields => (isObject(value) ? value : {})
const asText = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? bounded(value, MAX_TEXT) : null

const asNumber = (value: unknown): number | null =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : null

export const sha256 = (text: string): string => hash('sha256', text, 'hex')
const bounded = (text: string, max: number): string => (text.length <= max ? text : `sha256:${sha256(text)}`)

const SECRET =
  /(?:^|[_-])(?:key|token|auth|pwd)$|(?:api|access|private)[_-]?key|authori[sz]ation|bearer|cookie|credential|passw|secret|signature/i
/** As JavaScript writes names: `accessToken`. */
const SECRET_IN_CAMEL_CASE = /[a-z0-9](?:Key|Token|Auth)$/
const isSecret = (name: string): boolean => SECRET.test(name) || SECRET_IN_CAMEL_CASE.test(name)

/** A value that is a credential whatever it is called: of a scheme of `Authorization`, or with the beginning that issuers give to keys. */
const CREDENTIAL =
  /^\s*(?:bearer\s+\S+\s*$|(?:basic|token|apikey)\s+[\w.~+/=-]{16,}\s*$|(?:sk|pk|rk)[-_][\w-]{16}|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA[A-Z0-9]{12}|AIza[\w-]{20}|hf_\w{16}|eyJ[\w-]+\.[\w-]+\.)/i
/** Members of an object that name what the others hold. */
const NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field'])

const isCredential = (value: unknown): boolean =>
  typeof value === 'string'
    ? CREDENTIAL.test(value)
    : isObject(value) &&
      Object.entries(value).some(
        ([name, member]) => NAMES.has(name.toLowerCase()) && typeof member === 'string' && isSecret(member),
      )

/** Whether a member of a list is a secret with its name, as lists of headers have them: `["Authorization", "…"]` or `Authorization: …`. */
const isNamedSecret = (value: unknown): boolean => {
  if (typeof value === 'string') return isSecret(/^\s*([\w-]{1,100})\s*[:=]\s*\S/.exec(value)?.[1] ?? '')
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isSecret(value[0])
}

const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.filter((member) => !isCredential(member) && !isNamedSecret(member)).map(withoutSecrets)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isSecret(name) || isCredential(member) ? [] : [[name, withoutSecrets(member)]],
    ),
  )
}

/** Params without secrets. Where they are too long, their digest stands for them. */
const shortParams = (params: unknown): Fields => {
  const kept = asFields(withoutSecrets(asFields(params)))
  const text = canonicalJson(kept)
  return text.length <= MAX_PARAMS ? kept : { sha256: sha256(text) }
}

// Spread instead of `Object.assign`, which takes a member `__proto__` for the prototype.
const paramsOf = (...parts: readonly unknown[]): Fields =>
  parts.reduce<Fields>((merged, part) => ({ ...merged, ...shortParams(part) }), {})

/** Members of a provider of promptfoo that say where it is. */
const ADDRESS = /^(?:api)?_?(?:base_?url|url|host|endpoint)$/i
const withoutAddress = (config: unknown): Fields =>
  Object.fromEntries(Object.entries(asFields(config)).filter(([name]) => !ADDRESS.test(name)))

/** An assertion as a document has it. */
export type JudgedAssertion = Pick<NormalCase['asserts'][number], 'kind' | 'criteria' | 'details'>

/** The metric that an assertion is of: its name, else its kind. */
export const metricOf = (assertion: JudgedAssertion): string => {
  const negate = asFields(assertion.criteria)['negate']
  const { title } = assertionName(
    negate === undefined ? assertion : { ...assertion, criteria: withoutNegation(assertion) },
  )
  return storableText(firstCodePoints(title, MAX_METRIC))
}

const withoutNegation = ({ criteria }: JudgedAssertion): Fields => ({ ...asFields(criteria), negate: false })

/** What is wrong with the name of a metric, or null. */
export const metricProblem = (metric: string): string | null =>
  metric === '' || storableText(firstCodePoints(metric, MAX_METRIC)) !== metric
    ? `must have 1 to ${MAX_METRIC} characters, and none that cannot be stored`
    : null

/** What documents call a judge that is not configured by a suite of this service, the most certain first. */
const namedModel = (criteria: Fields, details: Fields): string | null =>
  asText(criteria['judge_model']) ??
  asText(criteria['model']) ??
  asText(criteria['grader']) ??
  asText(criteria['judge']) ??
  providerId(criteria['provider']) ??
  asText(details['judge_model']) ??
  asText(details['evaluationModel']) ??
  asText(details['judge']) ??
  asText(asFields(details['source'])['source_id'])

/** promptfoo names a provider by its id, or describes it. */
const providerId = (provider: unknown): string | null => asText(provider) ?? asText(asFields(provider)['id'])

const textDigest = (value: unknown): string | null =>
  value === undefined || value === null ? null : sha256(typeof value === 'string' ? value : canonicalJson(value))

/**
 * What judges depend on of a `config_snapshot`, as a snapshot. Long texts and params are shortened here once for a run, instead of for
 * each of its assertions.
 */
export const judgingSnapshot = (snapshot: unknown): Fields => {
  const grader = graderOf({}, snapshot)
  const shortProvider = (provider: unknown) => {
    const { type, model, params } = asFields(provider)
    return { type: asText(type), model: asText(model), params: shortParams(params) }
  }
  return {
    grader: grader && {
      provider: shortProvider(grader['provider']),
      params: shortParams(grader['params']),
      template: (grader['template'] ?? null) === null ? null : (asText(grader['template']) ?? ''),
      include_tool_calls: grader['include_tool_calls'],
    },
    providers: [shortProvider(embeddingsOf(snapshot))],
  }
}

/** The judge of an assertion of one of `JUDGED_KINDS`. `snapshot` is the `config_snapshot` of its run. */
export const judgeOf = (assertion: JudgedAssertion, snapshot: unknown): Judge => {
  const kind = assertion.kind as JudgedKind
  const criteria = asFields(assertion.criteria)
  const details = asFields(assertion.details)
  const recorded = asFields(details['judge'])
  const shared = {
    kind,
    negate: criteria['negate'] === true,
    threshold: asNumber(criteria['threshold']) ?? (kind === 'similar' ? SIMILAR_THRESHOLD : null),
  }
  if (kind === 'exec') {
    const command = criteria['command']
    const program = Array.isArray(command)
      ? sha256(canonicalJson({ command, config: criteria['config'] ?? {} }))
      : textDigest(recorded['program'])
    return {
      ...shared,
      type: null,
      model: asText(recorded['model']),
      params: {},
      template: null,
      include_tool_calls: false,
      program,
    }
  }
  if (kind === 'similar') {
    const provider = asFields(embeddingsOf(snapshot))
    return {
      ...shared,
      type: asText(provider['type']),
      model: asText(recorded['model']) ?? namedModel(criteria, details) ?? asText(provider['model']),
      params: paramsOf(provider['params'], criteria['params']),
      template: null,
      include_tool_calls: false,
      program: null,
    }
  }
  const grader = graderOf(criteria, snapshot)
  const provider = asFields(grader?.['provider'])
  const named = namedModel(criteria, details)
  // A grader that only the suite has is not that of an assertion which names its own judge.
  const isOwn = grader !== null && (named === null || isObject(criteria['grader']))
  return {
    ...shared,
    type: asText(recorded['type']) ?? (isOwn ? asText(provider['type']) : null),
    model: asText(recorded['model']) ?? (isOwn ? asText(provider['model']) : named),
    params: isOwn
      ? paramsOf(provider['params'], grader['params'], criteria['params'])
      : paramsOf(withoutAddress(asFields(criteria['provider'])['config']), criteria['params'], recorded['params']),
    template:
      asText(recorded['template_sha256']) ??
      textDigest(criteria['rubricPrompt']) ??
      (isOwn ? templateOf(grader['template']) : null),
    include_tool_calls: isOwn && grader['include_tool_calls'] === true,
    program: null,
  }
}

const graderOf = (criteria: Fields, snapshot: unknown): Fields | null => {
  for (const grader of [criteria['grader'], asFields(snapshot)['grader']])
    if (isObject(grader) && isObject(grader['provider'])) return grader
  return null
}

const FILE = 'file:'
const templateOf = (template: unknown): string =>
  template === undefined || template === null ? BUILT_IN : `${FILE}${asText(template) ?? ''}`

const embeddingsOf = (snapshot: unknown): unknown => {
  const providers = asFields(snapshot)['providers']
  return Array.isArray(providers) ? providers.find((each) => asFields(each)['type'] === 'embeddings') : undefined
}

/**
 * The id of a judge: 32 hex digits. Null if it is not known what judged: neither a model nor a program. Null is never equal to null.
 */
export const judgeId = (judge: Judge): string | null =>
  judge.model === null && judge.program === null ? null : sha256(canonicalJson(judge)).slice(0, ID_LENGTH)

/** The id of all judges of a run together, for verdicts on whole cases; null without judges, or if one is not known. */
export const caseJudgeId = (ids: ReadonlyArray<string | null>): string | null => {
  const known = new Set(ids)
  if (known.size === 0 || known.has(null)) return null
  return sha256(canonicalJson([...known].toSorted())).slice(0, ID_LENGTH)
}

/** The verdict on a whole case: passed 1, failed 0, null for a case that is counted as it is. */
export const caseVerdict = (status: CaseStatus): 0 | 1 | null =>
  status === 'pass' || status === 'xpass' ? 1 : status === 'fail' ? 0 : null

/** In which fields two judges differ. A template of which only the path is known is not known to differ. */
export const differingFields = (one: Judge, other: Judge): JudgeField[] =>
  JUDGE_FIELDS.filter((field) => {
    if (canonicalJson(one[field] ?? null) === canonicalJson(other[field] ?? null)) return false
    return field !== 'template' || ![one, other].some(({ template }) => template?.startsWith(FILE))
  })

/** A judge of a metric in a run. */
export type MetricJudge = { readonly metric: string; readonly judge_id: string | null; readonly judge: Judge }

/** Another judge of a metric than in the like run before: the ids of both, and in which fields they differ. */
export type JudgeChange = {
  readonly metric: string
  readonly before: string
  readonly after: string
  readonly differs: JudgeField[]
}

type Known = MetricJudge & { readonly judge_id: string }

const byMetric = (judges: readonly MetricJudge[]): Map<string, Known[]> =>
  Map.groupBy(
    judges.filter((each): each is Known => each.judge_id !== null),
    ({ metric }) => metric,
  )

/**
 * Which metrics of a run have other judges than in an earlier one. A metric that only one of them has, or whose judge is not known
 * in one of them, is not known to have changed. A metric may have several judges: each that is new is named with the one before
 * that is most like it; if none is new, each that is gone with the one that is left.
 */
export const judgeChanges = (before: readonly MetricJudge[], after: readonly MetricJudge[]): JudgeChange[] => {
  const earlier = byMetric(before)
  return [...byMetric(after)].flatMap(([metric, now]) => {
    const was = earlier.get(metric) ?? []
    const without = (some: readonly Known[], others: readonly Known[]): Known[] =>
      some.filter(({ judge_id }) => !others.some((each) => each.judge_id === judge_id))
    const [added, removed] = [without(now, was), without(was, now)]
    const nearest = (to: Known, some: readonly Known[]): Known | undefined =>
      some.toSorted((a, b) => differingFields(a.judge, to.judge).length - differingFields(b.judge, to.judge).length)[0]
    const pairs =
      added.length > 0
        ? added.map((each) => [nearest(each, removed.length > 0 ? removed : was), each] as const)
        : removed.map((each) => [each, nearest(each, now)] as const)
    return pairs.flatMap(([one, other]) => {
      if (!one || !other) return []
      const differs = differingFields(one.judge, other.judge)
      return differs.length === 0 ? [] : [{ metric, before: one.judge_id, after: other.judge_id, differs }]
    })
  })
}

/** The digest of what an assertion asks for, which differs from test to test: 16 hex digits, null if it asks for nothing. */
export const criterionDigest = ({ criteria }: Pick<JudgedAssertion, 'criteria'>): string | null => {
  const value = asFields(criteria)['value']
  return textDigest(value)?.slice(0, 16) ?? null
}

/**
 * Everything of an assertion that its judge depends on, as a text: two assertions of a run with equal texts have the same judge.
 * It is made far faster than the judge.
 */
export const judgeKey = ({ kind, criteria, details }: JudgedAssertion): string => {
  const { grader, params, negate, threshold, judge_model, model, judge, provider, rubricPrompt, command, config } =
    asFields(criteria)
  const { judge: recorded, judge_model: named, evaluationModel, source } = asFields(details)
  // Their other members may differ from case to case.
  const { type, model: answered, template_sha256, params: sent, program } = asFields(recorded)
  const text = JSON.stringify([
    ...[kind, grader, params, negate, threshold, judge_model, model, judge, provider, rubricPrompt, command, config],
    ...[asText(recorded), type, answered, template_sha256, sent, program],
    ...[named, evaluationModel, asFields(source)['source_id']],
  ])
  return bounded(text, MAX_TEXT)
}
