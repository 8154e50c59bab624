import type { Logger } from 'pino'
import { parseDecimal } from '../../domain/proof/checkpoint.ts'
import { verifySignature } from '../../domain/proof/cosignature.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import type { Vkey } from '../../domain/proof/keys.ts'
import { signedNote, parseNote, type NoteSignature } from '../../domain/proof/note.ts'
import type { Policy } from '../../domain/proof/policy.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import {
  findNewestCheckpoint,
  listCosignatures,
  listWitnesses,
  type StoredCheckpoint,
  type StoredCosignature,
} from '../../queries/log/checkpoints.ts'
import { consistencyPath } from '../../queries/log/tree.ts'
import type { Reader } from '../../storage/storage.ts'
import type { OpenService } from '../services.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { failureReason, type PostText } from './post-text.ts'

type Parts = Pick<OpenService, 'commit' | 'now'> & {
  readonly reader: Reader
  readonly logger: Pick<Logger, 'warn' | 'error' | 'fatal'>
  readonly post: PostText
  /** Makes a signal that ends one request. */
  readonly deadline: () => AbortSignal
  /** Ends all requests, whose failure is then not logged. */
  readonly closing: AbortSignal
}

/** A client of witnesses (c2sp.org/tlog-witness). */
export type Witnesses = {
  /**
   * Asks the witnesses whose cosignatures of a checkpoint are missing, and stores what they have signed. Settles when all
   * have answered or failed; failures are logged.
   */
  readonly submit: (checkpoint: StoredCheckpoint) => Promise<void>
  /** How often a witness has refused a checkpoint because it knows another history of this log. */
  readonly conflicts: () => number
}

/** Witnesses with one URL: one request for all their keys. */
type Endpoint = { readonly url: string; readonly keys: readonly Vkey[] }

/** A witness gave no cosignature. */
class WitnessFailed extends Error {
  readonly isConflict: boolean

  constructor(message: string, isConflict = false) {
    super(message)
    this.isConflict = isConflict
  }
}

const endpointsOf = ({ witnesses }: Policy): Endpoint[] => {
  const byUrl = Map.groupBy(witnesses, ({ url }) => url?.replace(/\/$/, '') ?? null)
  return [...byUrl].flatMap(([url, group]) => (url === null ? [] : [{ url, keys: group.map(({ vkey }) => vkey) }]))
}

const isOfKey =
  ({ name, id }: Vkey) =>
  (stored: { readonly key_name: string; readonly key_id: string }): boolean =>
    stored.key_name === name && stored.key_id === id

/** The body of an `add-checkpoint` request. */
const requestOf = (from: number, proof: readonly Buffer[], note: string): string =>
  `old ${from}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${note}`

/** The most lines of an answer, as many as a policy may have witnesses. */
const MAX_LINES = 32

/** The signature lines of an answer that are well-formed; others count as those of unknown keys. */
const signaturesIn = (answer: string): NoteSignature[] => {
  // The last line ends with a line end.
  const lines = answer.split('\n', MAX_LINES + 2)
  if (lines.length > MAX_LINES + 1) throw new WitnessFailed(`its answer has more than ${MAX_LINES} lines`)
  return lines.flatMap((line) => {
    try {
      return parseNote(signedNote('text\n', [line])).signatures
    } catch (error) {
      if (error instanceof ProofFailed) return []
      throw error
    }
  })
}

type Verified = {
  readonly cosignatures: ReadonlyArray<Omit<StoredCosignature, 'size'>>
  /** Why a key has no valid cosignature; null if all have one. */
  readonly problem: string | null
}

/** How far the clock of a witness may be ahead. */
const MAX_AHEAD_SECONDS = 300

/** The valid cosignatures of an answer that came at an instant (epoch milliseconds). Lines of unknown keys are ignored. */
const verifiedIn = async (
  answer: string,
  { note }: StoredCheckpoint,
  keys: readonly Vkey[],
  now: number,
): Promise<Verified> => {
  const parsed = parseNote(note)
  const signatures = signaturesIn(answer)
  const cosignatures: Array<Omit<StoredCosignature, 'size'>> = []
  let problem: string | null = null
  for (const key of keys) {
    const signature = signatures.find(({ name, id }) => name === key.name && id === key.id)
    const checked = signature && (await verifySignature(key, parsed, signature, nodeCrypto))
    if (checked === null)
      problem = `cosignatures of ${key.name} are not checked here: they need a Node.js with ML-DSA-44`
    else if (!signature || checked?.valid !== true || checked.seconds === null)
      problem = `its answer has no ${signature ? 'valid ' : ''}cosignature of ${key.name}`
    // c2sp.org/tlog-cosignature: without a time, the witness does not state that it saw no larger tree.
    else if (checked.seconds === 0) problem = `the cosignature of ${key.name} states no time`
    else if (checked.seconds > now / 1000 + MAX_AHEAD_SECONDS)
      problem = `the time of the cosignature of ${key.name} is more than ${MAX_AHEAD_SECONDS / 60} minutes ahead`
    else cosignatures.push({ key_name: key.name, key_id: key.id, line: signature.line, at: checked.seconds })
  }
  return { cosignatures, problem }
}

/** Opens the witnesses of a policy that have a URL. */
export const openWitnesses = (
  policy: Policy,
  { reader, commit, now, logger, post, deadline, closing }: Parts,
): Witnesses => {
  const endpoints = endpointsOf(policy)
  /** The failure of each URL that was logged last. */
  const failures = new Map<string, string>()
  let conflicts = 0

  const send = async ({ url }: Endpoint, from: number, { size, note }: StoredCheckpoint) => {
    const proof = from === 0 ? [] : await consistencyPath(reader, from, size)
    try {
      return await post(`${url}/add-checkpoint`, requestOf(from, proof, note), AbortSignal.any([deadline(), closing]))
    } catch (error) {
      throw new WitnessFailed(failureReason(error))
    }
  }

  /**
   * The size that a witness knows, by its answer 409 to a request from `asked`; null if a newer checkpoint of this log was
   * cosigned meanwhile. If the witness was asked from the size of the checkpoint, 409 with that size, or with none, means
   * that it knows another root of it.
   */
  const knownSize = async (text: string, asked: number, { size }: StoredCheckpoint): Promise<number | null> => {
    const known = text.endsWith('\n') ? parseDecimal(text.slice(0, -1)) : null
    if (asked === size && (known === null || known === size))
      throw new WitnessFailed(`it knows another root at ${size} records`, true)
    if (known === null) throw new WitnessFailed('it answered 409 without the size that it knows')
    if (known <= size) return known
    // Another replica may have had a newer checkpoint cosigned.
    const newest = await reader.read(findNewestCheckpoint)
    if (newest && known <= newest.size) return null
    throw new WitnessFailed(
      `it knows a log of ${known} records, and the newest checkpoint has ${newest?.size ?? 0}`,
      true,
    )
  }

  /** The text of the cosignatures; null if a newer checkpoint was cosigned meanwhile. */
  const ask = async (endpoint: Endpoint, from: number, checkpoint: StoredCheckpoint): Promise<string | null> => {
    let answer = await send(endpoint, from, checkpoint)
    let asked = from
    if (answer.status === 409) {
      const known = await knownSize(answer.text, asked, checkpoint)
      if (known === null) return null
      asked = known
      answer = await send(endpoint, known, checkpoint)
    }
    if (answer.status === 200) return answer.text
    if (answer.status === 422)
      throw new WitnessFailed(
        `it knows another history: it refused the proof from ${asked} to ${checkpoint.size} records`,
        true,
      )
    if (answer.status === 409) {
      const known = await knownSize(answer.text, asked, checkpoint)
      if (known === null) return null
      throw new WitnessFailed(`it answered 409 twice, the second time with the size ${known}`)
    }
    if (answer.status === 404) throw new WitnessFailed('it does not know this log (404)')
    if (answer.status === 403) throw new WitnessFailed('it trusts none of the keys of this log (403)')
    throw new WitnessFailed(`it answered with status ${answer.status}`)
  }

  const cosign = async (endpoint: Endpoint, from: number, checkpoint: StoredCheckpoint): Promise<void> => {
    const { url, keys } = endpoint
    const { size } = checkpoint
    try {
      const answer = await ask(endpoint, from, checkpoint)
      if (answer === null) return
      const { cosignatures, problem } = await verifiedIn(answer, checkpoint, keys, now())
      if (cosignatures.length > 0) await commit.keepCosignatures(SYSTEM, { size, cosignatures })
      if (problem !== null) throw new WitnessFailed(problem)
      failures.delete(url)
    } catch (error) {
      if (closing.aborted) return
      if (!(error instanceof WitnessFailed)) {
        logger.error({ err: error, witness: url, size }, 'a checkpoint cannot be sent to a witness; it is tried again')
        return
      }
      const { message: reason, isConflict } = error
      if (isConflict) conflicts++
      // A witness that fails in the same way again and again is logged once.
      const kind = reason.replaceAll(/\d/g, '')
      if (failures.get(url) === kind) return
      failures.set(url, kind)
      const fields = { witness: url, size, reason }
      if (isConflict) logger.fatal(fields, 'a witness has seen another history of this log')
      else logger.warn(fields, 'a witness has not cosigned a checkpoint; it is asked again')
    }
  }

  return {
    submit: async (checkpoint) => {
      const { size } = checkpoint
      const known = await reader.read(listWitnesses)
      const present = await reader.read(listCosignatures(size, size))
      await Promise.all(
        endpoints.map(async (endpoint) => {
          if (endpoint.keys.every((key) => present.some(isOfKey(key)))) return
          const sizes = endpoint.keys.map((key) => known.find(isOfKey(key))?.size ?? 0)
          // A replica may have had a newer checkpoint cosigned. The witness then answers with the size of that one.
          await cosign(endpoint, Math.min(Math.max(...sizes), size), checkpoint)
        }),
      )
    },
    conflicts: () => conflicts,
  }
}
