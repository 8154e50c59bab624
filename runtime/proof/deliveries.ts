import type { Logger } from 'pino'
import { meetsQuorum, type Policy } from '../../domain/proof/policy.ts'
import {
  listCheckpointTimes,
  listCosignatures,
  type StoredCheckpoint,
  type StoredCosignature,
} from '../../queries/log/checkpoints.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Schedule } from '../background/hourly.ts'
import type { OpenService } from '../services.ts'
import type { PostText } from './post-text.ts'
import { sendCheckpoints } from './send-checkpoints.ts'
import { openWitnesses } from './witnesses.ts'

type Parts = Pick<OpenService, 'commit' | 'now'> & {
  readonly reader: Reader
  readonly logger: Pick<Logger, 'warn' | 'error' | 'fatal'>
  readonly post: PostText
  /** Makes a signal that ends one request. */
  readonly deadline: () => AbortSignal
  readonly schedule: Schedule
}

/** Sends checkpoints to receivers and witnesses, in the background. */
export type Deliveries = {
  /** Sends a checkpoint where it is missing: now, or after the delivery that runs. Then only the newest one is sent. */
  readonly deliver: (checkpoint: StoredCheckpoint) => void
  /** When the first checkpoint was signed that no checkpoint with enough cosignatures covers, in epoch milliseconds. */
  readonly unwitnessedSince: () => number | null
  readonly conflicts: () => number
  /** Waits a short time for the requests that are under way, and aborts the rest. */
  readonly close: () => Promise<void>
}

/** After this time without enough cosignatures, a warning is logged. */
export const MAX_UNWITNESSED_MS = 600_000

/** How long a stop waits for the delivery of the last checkpoint. */
export const LAST_DELIVERY_MS = 3_000

const isBy =
  ({ vkey: { name, id } }: Policy['witnesses'][number]) =>
  ({ key_name, key_id, at }: StoredCosignature): boolean =>
    // Without a time, a witness does not state that it saw no larger tree (c2sp.org/tlog-cosignature).
    key_name === name && key_id === id && at > 0

/** Whether the cosignatures of one checkpoint meet a policy. Only verified cosignatures are stored. */
export const meetsPolicy = (policy: Policy, cosignatures: readonly StoredCosignature[]): boolean => {
  const signed = policy.witnesses.filter((witness) => cosignatures.some(isBy(witness)))
  return meetsQuorum(policy, new Set(signed.map(({ name }) => name)))
}

/** Without a policy, as many cosignatures as a policy may have witnesses. */
const MAX_COSIGNATURES = 32

/**
 * The cosignatures of one checkpoint that are written behind it: those of the witnesses of the policy. Readers refuse a
 * note with too many lines, and earlier policies may have had other witnesses.
 */
export const writtenCosignatures = (
  policy: Policy | null,
  cosignatures: readonly StoredCosignature[],
): StoredCosignature[] =>
  policy
    ? cosignatures.filter((cosignature) => policy.witnesses.some((witness) => isBy(witness)(cosignature)))
    : cosignatures.slice(0, MAX_COSIGNATURES)

type Delivered = {
  readonly urls: readonly string[]
  readonly policy: Policy | null
  /** The size of the newest checkpoint that meets the policy; null if there is none. */
  readonly witnessed: number | null
}

/** Starts to deliver. How long checkpoints have been without enough cosignatures is known from before the start. */
export const openDeliveries = async (
  { urls, policy, witnessed }: Delivered,
  { reader, commit, now, logger, post, deadline, schedule }: Parts,
): Promise<Deliveries> => {
  const closing = new AbortController()
  const parts = { reader, commit, now, logger, post, deadline, closing: closing.signal }
  const send = sendCheckpoints(urls, parts)
  const witnesses = policy && openWitnesses(policy, parts)
  let next: StoredCheckpoint | null = null
  let running: Promise<void> | null = null
  // A policy that no checkpoint has met yet may be a new one.
  let unwitnessedSince =
    witnessed === null ? null : ((await reader.read(listCheckpointTimes(witnessed, 1)))[0]?.signed_at ?? null)
  /** The largest checkpoint with enough cosignatures. */
  let witnessedSize = witnessed ?? 0
  let cancelWarning: (() => void) | null = null

  const noteWitnessed = async ({ size }: StoredCheckpoint): Promise<void> => {
    if (!policy || !meetsPolicy(policy, await reader.read(listCosignatures(size, size)))) return
    witnessedSize = Math.max(witnessedSize, size)
    // A newer one may have been signed meanwhile.
    unwitnessedSince = next && next.size > size ? next.signed_at : null
    cancelWarning?.()
    cancelWarning = null
    warnInTime()
  }

  /** Warns once, ten minutes after the first checkpoint without enough cosignatures. */
  const warnInTime = (): void => {
    const since = unwitnessedSince
    if (since === null || cancelWarning) return
    cancelWarning = schedule(Math.max(since + MAX_UNWITNESSED_MS - now(), 0), () =>
      logger.warn(
        { since: new Date(since).toISOString() },
        'no checkpoint has had enough cosignatures for 10 minutes: the witnesses of SERVICE_WITNESS_POLICY_FILE do not answer, or refuse',
      ),
    )
  }
  warnInTime()

  const deliverAll = async (): Promise<void> => {
    while (next && !closing.signal.aborted) {
      const checkpoint = next
      next = null
      try {
        await Promise.all([witnesses?.submit(checkpoint), send(checkpoint)])
        await noteWitnessed(checkpoint)
      } catch (err) {
        logger.error({ err }, 'a checkpoint could not be delivered; it is tried again')
      }
    }
    // Here, not when the promise has settled: a checkpoint that comes between the two would wait for the one after it.
    running = null
  }

  return {
    deliver: (checkpoint) => {
      if (urls.length === 0 && !witnesses) return
      if (policy && policy.quorum !== null && checkpoint.size > witnessedSize) unwitnessedSince ??= checkpoint.signed_at
      warnInTime()
      next = checkpoint
      running ??= deliverAll()
    },
    unwitnessedSince: () => unwitnessedSince,
    conflicts: () => witnesses?.conflicts() ?? 0,
    close: async () => {
      let cancelWait = (): void => {}
      await Promise.race([
        running,
        new Promise<void>((resolve) => {
          cancelWait = schedule(LAST_DELIVERY_MS, resolve)
        }),
      ])
      cancelWait()
      closing.abort()
      await running
      cancelWarning?.()
    },
  }
}
