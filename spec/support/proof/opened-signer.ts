import { join } from 'node:path'
import type { CheckpointConfig } from '../../../runtime/proof/checkpoint-config.ts'
import { keyOfSeed, type SigningKey } from '../../../runtime/proof/keys.ts'
import { LAST_DELIVERY_MS } from '../../../runtime/proof/deliveries.ts'
import { createSigner, type SignerParts, type StartableSigner } from '../../../runtime/proof/open-signer.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { signingGuardOf } from '../../../storage/sqlite/signing-guard.ts'
import { capturedLog, type LogLine } from '../stores/captured-log.ts'
import { onPostgres } from '../stores/open-fresh.ts'

export const ORIGIN = 'results.example/log'

/** The key of a seed of 32 equal bytes: an example, never to be used. */
export const exampleKey = (byte = 1, name = ORIGIN): SigningKey => keyOfSeed(name, new Uint8Array(32).fill(byte))

/** The interval of signatures in milliseconds. */
const INTERVAL_MS = 60_000

/** Timers that a spec fires. A stop does not wait for the delivery of the last checkpoint. */
export const manualTimers = () => {
  const waiting: Array<{ readonly ms: number; readonly work: () => void }> = []
  return {
    waiting,
    schedule: (ms: number, work: () => void) => {
      if (ms === LAST_DELIVERY_MS) {
        const soon = setImmediate(work)
        return () => clearImmediate(soon)
      }
      const timer = { ms, work }
      waiting.push(timer)
      return () => {
        const at = waiting.indexOf(timer)
        if (at >= 0) waiting.splice(at, 1)
      }
    },
    /** Fires the timers that wait now, but for longer ones. */
    fire: (longestMs = INTERVAL_MS) => {
      const fired = waiting.filter(({ ms }) => ms <= longestMs)
      for (const timer of fired) waiting.splice(waiting.indexOf(timer), 1)
      for (const { work } of fired) work()
    },
  }
}

export type SpecSigner = {
  readonly signer: StartableSigner
  readonly timers: ReturnType<typeof manualTimers>
  readonly lines: readonly LogLine[]
}

/** Creates a signer of a service with the example key. Its timers only fire when the spec does it. */
export const createSpecSigner = (
  { service, dataDir }: { readonly service: OpenService; readonly dataDir: string },
  config: Partial<CheckpointConfig> = {},
  parts: Partial<SignerParts> = {},
): SpecSigner => {
  const timers = manualTimers()
  const { logger, lines } = capturedLog('warn')
  const signer = createSigner(
    {
      keys: [exampleKey()],
      defaultKeyFile: null,
      seconds: INTERVAL_MS / 1000,
      file: null,
      urls: [],
      policy: null,
      ...config,
    },
    {
      reader: service.reader,
      commit: service.commit,
      now: service.now,
      logger,
      guardFile: onPostgres ? null : signingGuardOf(join(dataDir, 'service.db')),
      schedule: timers.schedule,
      ...parts,
    },
  )
  return { signer, timers, lines }
}

/** Creates a signer and starts it, as a start of the service does after its first record. */
export const startSpecSigner = async (...given: Parameters<typeof createSpecSigner>): Promise<SpecSigner> => {
  const created = createSpecSigner(...given)
  await created.signer.check()
  await created.signer.start()
  return created
}
