import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { addCheckpointMetrics } from '../../../http/metrics/checkpoint-metrics.ts'
import type { CheckpointSigner, SignerStatus } from '../../../runtime/proof/signer.ts'

const never = (): never => {
  throw new Error('metrics read only the status')
}

/** The values by name of a signer with this status. */
const valuesOf = async (status: SignerStatus | null): Promise<Record<string, string>> => {
  const registry = new Registry()
  const signer: CheckpointSigner | null = status && {
    reader: { dialect: 'sqlite', read: never, readAll: never },
    hasPolicy: never,
    vkeys: [],
    newest: never,
    newestCosigned: never,
    covering: never,
    written: never,
    status: () => status,
    close: never,
  }
  addCheckpointMetrics(registry, { signer, now: () => 100_000 })
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]))
}

describe('the metrics of checkpoints', () => {
  it('show age, and what needs attention, but not how many records there are', async () =>
    expect(
      await valuesOf({
        newest: { size: 7, signed_at: 40_000 },
        unwitnessed_since: 90_000,
        has_stopped: true,
        witness_conflicts: 2,
      }),
    ).toEqual({
      ers_checkpoint_age_seconds: '60',
      ers_checkpoint_unwitnessed_seconds: '10',
      ers_checkpoint_stopped: '1',
      ers_checkpoint_witness_conflicts: '2',
    }))

  it('show zeros before the first checkpoint', async () =>
    expect(await valuesOf({ newest: null, unwitnessed_since: null, has_stopped: false, witness_conflicts: 0 })).toEqual(
      {
        ers_checkpoint_age_seconds: '0',
        ers_checkpoint_unwitnessed_seconds: '0',
        ers_checkpoint_stopped: '0',
        ers_checkpoint_witness_conflicts: '0',
      },
    ))

  it('are absent if nothing is signed', async () => expect(await valuesOf(null)).toEqual({}))
})
