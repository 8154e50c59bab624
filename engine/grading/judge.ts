import { hash } from 'node:crypto'
import { messageOf } from '../../domain/plain/message-of.ts'
import { cacheKey } from '../../domain/cache/key.ts'
import { CacheMiss, type Cached } from '../cache/cached-calls.ts'
import type { StoredGrading } from '../cache/call-cache.ts'
import type { Json, JsonObject } from '../json.ts'
import { graderEndpoint } from '../providers/preflight.ts'
import { ratesOf, type Rates } from '../providers/prices.ts'
import type { Redactor } from '../providers/redactor.ts'
import { asObject, present } from '../providers/read-json.ts'
import { canonicalVendorCall } from '../providers/vendor/provider.ts'
import { createVendorEndpoint, type VendorCall, type VendorEndpoint } from '../providers/vendor/transport.ts'
import { isFileText } from '../suite/file-reference.ts'
import type { AssertionSpec, GraderSpec } from '../suite/suite.ts'
import type { Verdict } from '../assertions/assertion.ts'
import { caseScope } from './case-scope.ts'
import { Misconfigured } from './fault.ts'
import { DEFAULT_TIMEOUT_MS, gradingMode, type GraderOptions } from './grader-options.ts'
import type { GradedCase } from './grader.ts'
import { gradingCost } from './grading-cost.ts'
import { JUDGE_FAMILIES, type JudgeFamily } from './judge-families.ts'
import { BadTemplate, judgeText, textOfTemplate } from './judge-prompt.ts'
import { clampScore, UnusableVerdict, type RubricVerdict } from './verdict.ts'

/** How often a judge is asked in all, if its verdicts are unusable. */
const MAX_ASKED = 3

type Judge = {
  readonly spec: GraderSpec
  readonly family: JudgeFamily
  readonly endpoint: VendorEndpoint
  /** Those of the provider, then those of the block. */
  readonly params: JsonObject
  readonly rates: Rates | null
  /** The text of the template; null: none is configured. */
  readonly template: string | null
  /** The SHA-256 of this text in hex: another text is another judge, also under the same path. */
  readonly template_sha256: string | null
}

export type RubricGrader = (assertion: AssertionSpec, subject: GradedCase, signal: AbortSignal) => Promise<Verdict>

/** Grades `llm-rubric` assertions: asks a model for a verdict. Throws where no verdict is reached. */
export const rubricGrader = (options: GraderOptions): RubricGrader => {
  const { calls, grader: suiteGrader, redactor, templates } = options
  const judges = new Map<GraderSpec, Promise<Judge>>()

  const judgeOf = (assertion: AssertionSpec): Promise<Judge> => {
    const spec = assertion.grader ?? suiteGrader
    if (spec === undefined) throw new Misconfigured("no grader is configured for 'llm-rubric' assertions in this suite")
    const known = judges.get(spec) ?? createJudge(options, spec)
    judges.set(spec, known)
    return known
  }

  const prepare = async (assertion: AssertionSpec, subject: GradedCase, judge: Judge): Promise<VendorCall> => {
    const params = { ...judge.params, ...paramsOf(assertion) }
    const rubric = templates.render(asText(assertion.fields['value']), caseScope(subject))
    const prompt = { rubric, subject, includesToolCalls: judge.spec.include_tool_calls }
    const text = judge.template === null ? judgeText(prompt) : textOfTemplate(judge.template, prompt)
    const call = judge.endpoint.prepare(JUDGE_FAMILIES[judge.family].body(judge.spec.provider.model, params, text))
    rejectThinking(judge.family, call.body)
    return call
  }

  return async (assertion, subject, signal) => {
    const judge = await judgeOf(assertion)
    const call = await prepare(assertion, subject, judge)
    const { verdict: readVerdict, response: readResponse } = JUDGE_FAMILIES[judge.family]
    const { provider } = judge.spec
    // Vars may hold secrets.
    const request = redactor.json<JsonObject>(canonicalVendorCall(call))
    const mode = gradingMode(options)
    if (mode === null) throw new CacheMiss('only the cache may answer, but grading may not use it')

    const judged = await calls.grade<Judgement>(
      {
        key: cacheKey({
          request,
          repeat: subject.repeat,
          ...(provider.cache_salt === undefined ? {} : { provider_salt: provider.cache_salt }),
        }),
        request,
        mode,
        read: (stored) => ({
          verdict: storedVerdict(stored, judge) ?? readVerdict(stored.raw),
          cost_usd: gradingCost(stored, judge.rates),
          model: stored.model ?? null,
        }),
        send: async (callSignal) => {
          const { payload, verdict } = await ask(call, readVerdict, redactor, callSignal)
          const { usage, model } = readResponse(payload)
          const cost_usd = gradingCost(present<Pick<StoredGrading, 'usage'>>({ usage }), judge.rates)
          return {
            result: { verdict, cost_usd, model: model ?? null },
            stored: {
              kind: 'judge',
              output: verdict.reasoning,
              raw: payload,
              ...present<Pick<StoredGrading, 'usage' | 'cost_usd' | 'model'>>({
                usage,
                cost_usd: cost_usd ?? undefined,
                model,
              }),
            },
          }
        },
      },
      signal,
    )
    return judgeVerdict(judged, assertion, judge)
  }
}

type Judgement = {
  readonly verdict: RubricVerdict
  readonly cost_usd: number | null
  /** The model that answered, if the API or the cache has its name. */
  readonly model: string | null
}

const createJudge = async (options: GraderOptions, spec: GraderSpec): Promise<Judge> => {
  const { type } = spec.provider
  if (type !== 'anthropic' && type !== 'openai')
    throw new Misconfigured(
      `the grader provider type '${type}' is unsupported for llm-rubric: use 'anthropic' or 'openai'`,
    )
  const { env, ports, globalHeaders, templates } = options
  const merged = graderEndpoint(spec)
  const template = spec.template === undefined ? null : await readTemplate(options, spec.template)
  return {
    spec,
    family: type,
    endpoint: createVendorEndpoint({
      family: type,
      spec: merged,
      timeoutMs: options.grader?.timeout_ms ?? DEFAULT_TIMEOUT_MS,
      env,
      ports,
      globalHeaders,
      templates,
    }),
    params: merged.params,
    rates: ratesOf(spec.provider.model, spec.pricing ?? spec.provider.pricing),
    template,
    template_sha256: template === null ? null : hash('sha256', template, 'hex'),
  }
}

const readTemplate = async ({ readFile }: GraderOptions, reference: string): Promise<string> => {
  if (!isFileText(reference))
    throw new BadTemplate(
      `the template of the grader must be a file:// reference, not ${JSON.stringify(reference)}`,
      false,
    )
  try {
    return await readFile(reference)
  } catch (error) {
    throw new BadTemplate(`the template of the grader cannot be read: ${messageOf(error)}`, false)
  }
}

/** With these, a model of the messages API may not be forced to call the tool that holds the verdict. */
const THINKING_PARAMS = ['thinking', 'reasoning']

const rejectThinking = (family: JudgeFamily, body: Json): void => {
  const found = THINKING_PARAMS.find((name) => Object.hasOwn(asObject(body) ?? {}, name))
  if (family === 'anthropic' && found !== undefined)
    throw new Misconfigured(`the grader must not have the parameter \`${found}\`: a judge is forced to call a tool`)
}

/** Asks until a verdict is usable, with the same request. */
const ask = async (
  call: VendorCall,
  readVerdict: (payload: Json) => RubricVerdict,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<{ readonly payload: Json; readonly verdict: RubricVerdict }> => {
  for (let asked = 1; ; asked++) {
    // A judge may repeat what it was sent, or what the output holds.
    const payload = redactor.json((await call.send(signal)).payload)
    try {
      return { payload, verdict: readVerdict(payload) }
    } catch (error) {
      if (!(error instanceof UnusableVerdict)) throw error
      if (asked === MAX_ASKED)
        throw new UnusableVerdict(`${error.message} (asked ${MAX_ASKED} times)`, { cause: error })
    }
  }
}

/** The verdict of an old entry. It knows no tool calls. */
const storedVerdict = ({ verdict }: Omit<StoredGrading, 'kind'>, { spec }: Judge): RubricVerdict | null => {
  if (verdict?.kind !== 'rubric') return null
  if (spec.include_tool_calls) throw new UnusableVerdict('the stored verdict is of a version without tool calls')
  return { reasoning: verdict.reasoning ?? '', pass: verdict.pass, score: clampScore(verdict.score) }
}

const judgeVerdict = (
  { result: { verdict, cost_usd, model }, cached, key }: Cached<Judgement>,
  { fields: { threshold } }: AssertionSpec,
  { template_sha256 }: Judge,
): Verdict => {
  const passes = typeof threshold === 'number' ? verdict.score >= threshold : verdict.pass
  return {
    status: passes ? 'pass' : 'fail',
    score: verdict.score,
    reason: verdict.reasoning,
    // Who judged: the suite says neither which text was at the path of the template nor what an alias meant.
    details: { judge: { template_sha256, model } },
    cached,
    ...(key === null ? {} : { keys: [key] }),
    cost_usd,
  }
}

const paramsOf = ({ fields: { params } }: AssertionSpec): JsonObject => asObject(params) ?? {}

const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
