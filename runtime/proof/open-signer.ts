import type { KeyChanges } from '../../commands/log-key/change-log-keys.ts'
import type { Policy } from '../../domain/proof/policy.ts'
import {
  findCheckpoint,
  listCosignatures,
  listCosignedSizes,
  type StoredCheckpoint,
} from '../../queries/log/checkpoints.ts'
import { Busy, Unavailable } from '../../storage/errors.ts'
import type { Schedule } from '../background/hourly.ts'
import type { CheckpointConfig } from './checkpoint-config.ts'
import { openCheckpointFile } from './checkpoint-file.ts'
import { meetsPolicy, openDeliveries, writtenCosignatures, type Deliveries } from './deliveries.ts'
import { makeFirstKey, readPolicy, recordKeys, requireKeys, requireOwnGuard } from './log-keys.ts'
import { afterFiveSeconds, postText, type PostText } from './post-text.ts'
import { openSigning, readSignedBefore, type Signing, type SigningParts } from './signing.ts'
import type { CheckpointSigner, CosignedCheckpoint } from './signer.ts'
import { dayNumber, thinCheckpoints } from './thin-checkpoints.ts'

export type SignerParts = Omit<SigningParts, 'file'> & {
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  readonly schedule?: Schedule
  /** Sends checkpoints to receivers and witnesses. */
  readonly post?: PostText
  /** Makes a signal that ends one request; after five seconds by default. */
  readonly deadline?: () => AbortSignal
}

/** A signer that was created before the store can be read. */
export type StartableSigner = CheckpointSigner & {
  /**
   * Checks keys, policy and earlier checkpoints, and writes nothing. Call it when the read tables are current and before
   * this start appends to the log. Throws `CheckpointNotInLog`, and `UserError` for what the operator has to change.
   */
  readonly check: () => Promise<void>
  /** Records the keys, makes the first ones if there are none, and signs from now on. The log must not be empty. */
  readonly start: () => Promise<void>
}

/** Receipts cause at most one signature in this time. */
const MIN_GAP_MS = 1000

/** How soon a signature is tried again while an upgrade fills the nodes of the tree. */
const INCOMPLETE_RETRY_MS = 1000

const setTimer: Schedule = (ms, work) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Creates the signer of a service. */
export const createSigner = (
  config: CheckpointConfig,
  { schedule = setTimer, post = postText, deadline = afterFiveSeconds, ...parts }: SignerParts,
): StartableSigner => {
  const { reader, commit, now, logger, guardFile } = parts
  let keys = config.keys ?? []
  let policy: Policy | null = null
  let signing: Signing | null = null
  let deliveries: Deliveries | null = null
  let isClosing = false
  let cancelTick = (): void => {}
  let cosigned: CosignedCheckpoint | null = null
  /** Sizes up to this one were searched for a checkpoint that meets the policy. */
  let searched = 0
  let lastRequested = 0
  let soon: Promise<void> | null = null
  let thinnedDay = 0

  const requireStarted = (): Signing => {
    if (!signing) throw new Busy('the service does not sign checkpoints yet')
    return signing
  }

  const sign = async (): Promise<void> => {
    const checkpoint = await requireStarted().sign()
    if (checkpoint) deliveries?.deliver(checkpoint)
  }

  const withCosignatures = async (checkpoint: StoredCheckpoint): Promise<CosignedCheckpoint> => ({
    ...checkpoint,
    cosignatures: writtenCosignatures(policy, await reader.read(listCosignatures(checkpoint.size, checkpoint.size))),
  })

  const newest = async (): Promise<CosignedCheckpoint | null> => {
    const checkpoint = await requireStarted().newest()
    return checkpoint && withCosignatures(checkpoint)
  }

  /** The newest checkpoint between two sizes whose cosignatures meet the policy. */
  const searchCosigned = async (required: Policy, above: number): Promise<CosignedCheckpoint | null> => {
    let below = Number.MAX_SAFE_INTEGER
    /** The newest ones may still receive cosignatures, so they are searched again. */
    let newestBatch: number | null = null
    const noteSearched = (size: number): null => {
      searched = Math.max(searched, size)
      return null
    }
    for (;;) {
      const sizes = await reader.read(listCosignedSizes(below, above, SEARCHED_SIZES))
      const [first, last] = [sizes[0]?.size, sizes.at(-1)?.size]
      if (first === undefined || last === undefined) return newestBatch === null ? null : noteSearched(newestBatch - 1)
      newestBatch ??= last
      const bySize = Map.groupBy(await reader.read(listCosignatures(last, first)), ({ size }) => size)
      for (const { size } of sizes) {
        if (!meetsPolicy(required, bySize.get(size) ?? [])) continue
        const checkpoint = await reader.read(findCheckpoint(size))
        if (!checkpoint) continue
        if (requireStarted().isOurs(checkpoint)) return withCosignatures(checkpoint)
        // Smaller ones are of former origins too, whose checkpoints are those of another log.
        return noteSearched(size)
      }
      below = last
    }
  }

  const newestCosigned = async (): Promise<CosignedCheckpoint | null> => {
    const current = await newest()
    if (!policy) return null
    if (policy.quorum === null) return current
    const above = Math.max(searched, cosigned?.size ?? 0)
    const found = await searchCosigned(policy, above)
    if (found && (!cosigned || found.size > cosigned.size)) cosigned = found
    return cosigned
  }

  /** Signs now, or a second after the last signature that a caller needed. Concurrent callers share it. */
  const signSoon = (): Promise<void> =>
    (soon ??= (async () => {
      // A clock that was set back must not lengthen the wait.
      const gap = Math.min(Math.max(lastRequested + MIN_GAP_MS - now(), 0), MIN_GAP_MS)
      if (gap > 0) await new Promise<void>((resolve) => schedule(gap, resolve))
      lastRequested = now()
      await sign()
    })().finally(() => {
      soon = null
    }))

  const covering = async (size: number): Promise<CosignedCheckpoint> => {
    // The first signature may have begun before the caller's record was stored.
    for (let tries = 0; tries < 3; tries++) {
      const witnessed = await newestCosigned()
      if (witnessed && witnessed.size >= size) return witnessed
      const current = await newest()
      if (current && current.size >= size) return current
      if (isClosing) throw new Busy('the service stops')
      await signSoon()
    }
    throw new Unavailable(`no checkpoint covers ${size} records`)
  }

  /** Once a day, deletes the checkpoints that are too old. */
  const thin = async (): Promise<void> => {
    const day = dayNumber(now())
    if (day === thinnedDay) return
    await thinCheckpoints({ reader, commit }, now())
    thinnedDay = day
  }

  const tick = async (): Promise<void> => {
    if (isClosing || !signing || signing.hasStopped()) return
    let delay = config.seconds * 1000
    cancelTick = schedule(delay, () => void tick())
    try {
      await sign()
      await thin()
    } catch (err) {
      if (err instanceof Busy) {
        delay = Math.min(delay, INCOMPLETE_RETRY_MS)
        cancelTick()
        cancelTick = schedule(delay, () => void tick())
      } else if (!signing.hasStopped()) logger.error({ err }, 'no checkpoint could be signed; it is tried again')
    }
  }

  const logChanges = ({ adopted, retired, former }: KeyChanges, origin: string): void => {
    if (adopted.length > 0 || retired.length > 0)
      logger.info({ origin, adopted, retired }, 'the keys that sign checkpoints have changed')
    if (former !== null)
      logger.warn(
        { origin, former },
        'this log has a new name from now on, and never signs under the former one again: give its new verifier key to everyone who checks receipts or watches this log',
      )
  }

  return {
    reader,
    get vkeys() {
      return keys.map(({ vkey }) => vkey)
    },
    newest,
    newestCosigned,
    covering,
    hasPolicy: () => policy !== null,
    written: (cosignatures) => writtenCosignatures(policy, cosignatures),
    status: () => {
      const known = signing?.known() ?? null
      return {
        newest: known && { size: known.size, signed_at: known.signed_at },
        unwitnessed_since: deliveries?.unwitnessedSince() ?? null,
        has_stopped: signing?.hasStopped() ?? false,
        witness_conflicts: deliveries?.conflicts() ?? 0,
      }
    },
    check: async () => {
      const file = config.file === null ? null : await openCheckpointFile(config.file)
      const given = await requireKeys(reader, config)
      await readPolicy(config.policy, given)
      await requireOwnGuard(reader, guardFile, given?.[0].name ?? null)
      if (given) await openSigning(given, { ...parts, file }).check()
    },
    start: async () => {
      const file = config.file === null ? null : await openCheckpointFile(config.file)
      const { defaultKeyFile } = config
      const signingKeys =
        (await requireKeys(reader, config)) ??
        (defaultKeyFile === null ? null : await makeFirstKey(reader, defaultKeyFile))
      if (!signingKeys) throw new Error('a signer needs keys, or a file for the first one')
      keys = signingKeys
      policy = await readPolicy(config.policy, keys)
      const before = await readSignedBefore({ reader, guardFile, file }, signingKeys[0].name)
      logChanges(await recordKeys({ reader, commit }, signingKeys, before), signingKeys[0].name)
      signing = openSigning(signingKeys, { ...parts, file })
      const witnessed = policy && policy.quorum !== null ? await searchCosigned(policy, 0) : null
      deliveries = await openDeliveries(
        { urls: config.urls, policy, witnessed: witnessed?.size ?? null },
        { reader, commit, now, logger, post, deadline, schedule },
      )
      await tick()
    },
    close: async () => {
      isClosing = true
      cancelTick()
      if (signing && !signing.hasStopped())
        await sign().catch((err: unknown) => {
          if (!(err instanceof Busy)) logger.error({ err }, 'the last checkpoint could not be signed')
        })
      await deliveries?.close()
    },
  }
}

/** How many checkpoints one search reads. */
const SEARCHED_SIZES = 200
