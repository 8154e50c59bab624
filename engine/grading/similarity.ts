import { cacheKey } from '../../domain/cache/key.ts'
import { outputText } from '../../domain/run/document.ts'
import type { Verdict } from '../assertions/assertion.ts'
import { CacheMiss, type Cached } from '../cache/cached-calls.ts'
import type { StoredGrading } from '../cache/call-cache.ts'
import type { Json } from '../json.ts'
import { createEmbedder, readEmbedding, type Embedder } from '../providers/embeddings.ts'
import { ratesOf } from '../providers/prices.ts'
import { present } from '../providers/read-json.ts'
import { renderLeaves } from '../templates/render-leaves.ts'
import type { AssertionSpec } from '../suite/suite.ts'
import { caseScope } from './case-scope.ts'
import { Misconfigured } from './fault.ts'
import { gradingMode, type GraderOptions } from './grader-options.ts'
import type { GradedCase } from './grader.ts'
import { gradingCost, sumOfCosts } from './grading-cost.ts'
import { clampScore, UnusableVerdict } from './verdict.ts'

const DEFAULT_THRESHOLD = 0.8

type PricedEmbedding = { readonly vector: readonly number[]; readonly cost_usd: number | null }

/** Grades `similar` assertions: compares the embeddings of two texts. Throws where one cannot be had. */
export const similarityGrader = (
  options: GraderOptions,
): ((assertion: AssertionSpec, subject: GradedCase, signal: AbortSignal) => Promise<Verdict>) => {
  const { embeddings, templates } = options
  let embedder: Embedder | undefined

  return async (assertion, subject, signal) => {
    if (embeddings === undefined)
      throw new Misconfigured("no embeddings provider is configured for 'similar' assertions in this suite")
    embedder ??= createEmbedder(embeddings, options)
    const reference = renderLeaves(assertion.fields['value'] ?? null, templates, caseScope(subject))
    const output = outputText(subject.output) ?? ''
    const texts = [output, asText(reference)]
    const embed = cachedEmbedder(options, embedder, subject.repeat)
    // Both calls end before a failure of one of them is reported: no call goes on unseen.
    const settled = await Promise.allSettled(texts.map((text) => embed(text, signal)))
    const [ofOutput, ofReference] = settled.map((call) => {
      if (call.status === 'rejected') throw call.reason
      return call.value
    })
    return similarityVerdict(ofOutput!, ofReference!, assertion)
  }
}

const similarityVerdict = (
  a: Cached<PricedEmbedding>,
  b: Cached<PricedEmbedding>,
  { fields, negate }: AssertionSpec,
): Verdict => {
  const defined = cosineOf(a.result.vector, b.result.vector)
  // It fails the assertion with a cosine of 0. Negated, that would be a pass because of a broken answer.
  if (defined === null && negate)
    throw new UnusableVerdict(
      'the cosine of the two embeddings is not defined: one is empty, zero or of another length',
    )
  const cosine = defined ?? 0
  const threshold = typeof fields['threshold'] === 'number' ? fields['threshold'] : DEFAULT_THRESHOLD
  return {
    status: cosine >= threshold ? 'pass' : 'fail',
    score: clampScore((cosine + 1) / 2),
    reason: `cosine similarity ${cosine.toFixed(3)} ${cosine >= threshold ? '>=' : '<'} ${threshold.toFixed(3)}`,
    cached: a.cached && b.cached,
    keys: [a.key, b.key].filter((key) => key !== null),
    cost_usd: sumOfCosts([a.result.cost_usd, b.result.cost_usd]),
  }
}

/** The cosine of the angle between two vectors; null where it is not defined. */
const cosineOf = (a: readonly number[], b: readonly number[]): number | null => {
  if (a.length !== b.length) return null
  // Scaled to at most 1, so that no square overflows.
  const [largestA, largestB] = [largest(a), largest(b)]
  if (largestA === 0 || largestB === 0) return null
  let [dot, squareA, squareB] = [0, 0, 0]
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index]! / largestA, b[index]! / largestB]
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  return dot / Math.sqrt(squareA * squareB)
}

const largest = (vector: readonly number[]): number => {
  let max = 0
  for (const component of vector) max = Math.max(max, Math.abs(component))
  return max
}

const cachedEmbedder = (options: GraderOptions, embedder: Embedder, repeat: number) => {
  const { model, pricing, cache_salt } = embedder.spec
  const mode = gradingMode(options)
  const rates = ratesOf(model, pricing, true)

  return async (text: string, signal: AbortSignal): Promise<Cached<PricedEmbedding>> => {
    if (mode === null) throw new CacheMiss('only the cache may answer, but grading may not use it')
    const { canonical, send } = embedder.prepare(text)
    // Vars may hold secrets.
    const request = options.redactor.json(canonical)
    return options.calls.grade<PricedEmbedding>(
      {
        key: cacheKey({ request, repeat, ...(cache_salt === undefined ? {} : { provider_salt: cache_salt }) }),
        request,
        mode,
        read: (stored) => ({ vector: storedVector(stored.raw), cost_usd: gradingCost(stored, rates) }),
        send: async (callSignal) => {
          const { vector, raw, usage, model: reported } = await send(callSignal)
          const cost_usd = gradingCost(present<Pick<StoredGrading, 'usage'>>({ usage }), rates)
          return {
            result: { vector, cost_usd },
            stored: {
              kind: 'embedding',
              output: { dims: vector.length },
              raw: options.redactor.json(raw),
              ...present<Pick<StoredGrading, 'usage' | 'cost_usd' | 'model'>>({
                usage,
                cost_usd: cost_usd ?? undefined,
                model: reported === undefined ? undefined : options.redactor.text(reported),
              }),
            },
          }
        },
      },
      signal,
    )
  }
}

/** Reads the vector of an entry, which is a response. Entries of other engines may hold the vector alone. */
const storedVector = (raw: Json): readonly number[] =>
  readEmbedding(Array.isArray(raw) ? { data: [{ embedding: raw }] } : raw).vector

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
