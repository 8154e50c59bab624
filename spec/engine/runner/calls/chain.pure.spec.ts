import { describe, expect, it } from 'vitest'
import { runChain } from '../../../../engine/runner/calls/chain.ts'
import type { LinkOutcome } from '../../../../engine/runner/calls/link.ts'

const answered = (providerId: string, emptyReason?: string): LinkOutcome => ({
  kind: 'answered',
  providerId,
  providerDigest: 'd',
  response: { tool_calls: [], attempts: 1, provider_latency_ms: 0 },
  cached: false,
  key: null,
  emptyReason,
})
const failed = (providerId: string, errorClass: string): LinkOutcome => ({
  kind: 'failed',
  providerId,
  providerDigest: 'd',
  parts: [],
  errorClass,
  message: errorClass,
  details: undefined,
  attempts: 1,
})

const chain = async (outcomes: readonly LinkOutcome[], more: { stopped?: boolean; on?: readonly string[] } = {}) => {
  const asked: string[] = []
  const links = outcomes.map((outcome) => async () => {
    asked.push(outcome.providerId)
    return outcome
  })
  const result = await runChain(links, {
    fallbackOnEmptyReason: new Set(more.on ?? ['refusal']),
    isStopped: () => more.stopped === true,
  })
  expect(result.outcomes.map(({ providerId }) => providerId)).toEqual(asked)
  return { asked, ...result }
}

describe('a fallback chain', () => {
  it('ends with a first provider that answers', async () => {
    expect(await chain([answered('a'), answered('b')])).toMatchObject({
      asked: ['a'],
      outcome: { providerId: 'a' },
      passedOver: [],
    })
  })

  it.each([
    'provider_auth',
    'provider_unavailable',
    'provider_timeout',
    'provider_protocol',
    'provider_rate_limit',
    'exec_failed',
  ])('goes on after %s', async (errorClass) => {
    expect(await chain([failed('a', errorClass), answered('b')])).toMatchObject({
      outcome: { providerId: 'b' },
      passedOver: [{ provider_id: 'a', error_class: errorClass }],
    })
  })

  it.each(['provider_request', 'render_failed', 'cache_miss', 'cache_unavailable', 'unknown'])(
    'ends with %s',
    async (errorClass) => {
      expect(await chain([failed('a', errorClass), answered('b')])).toMatchObject({
        asked: ['a'],
        outcome: { providerId: 'a' },
      })
    },
  )

  it('goes on after an empty reason of the list alone', async () => {
    expect(await chain([answered('a', 'refusal'), answered('b')])).toMatchObject({
      outcome: { providerId: 'b' },
      passedOver: [{ provider_id: 'a', empty_reason: 'refusal' }],
    })
    expect(await chain([answered('a', 'blank'), answered('b')])).toMatchObject({ outcome: { providerId: 'a' } })
    expect(await chain([answered('a', 'refusal'), answered('b')], { on: [] })).toMatchObject({
      outcome: { providerId: 'a' },
    })
  })

  it('reports the first provider if all fail, as if there were no chain', async () => {
    expect(await chain([answered('a', 'refusal'), failed('b', 'exec_failed'), answered('c', 'refusal')])).toMatchObject(
      {
        asked: ['a', 'b', 'c'],
        outcome: { providerId: 'a' },
        passedOver: [],
      },
    )
  })

  it('ends with a fallback whose failure no other provider would avoid', async () => {
    expect(await chain([failed('a', 'exec_failed'), failed('b', 'provider_request'), answered('c')])).toMatchObject({
      asked: ['a', 'b'],
      outcome: { providerId: 'a' },
      passedOver: [],
    })
  })

  it('asks no fallback once the run is stopped', async () => {
    expect(await chain([failed('a', 'exec_failed'), answered('b')], { stopped: true })).toMatchObject({
      asked: ['a'],
      outcome: { providerId: 'a' },
      passedOver: [],
    })
  })
})
