import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseCheckpoint, type Checkpoint } from '../../../domain/proof/checkpoint.ts'
import { cosignedMessage, verifySignature } from '../../../domain/proof/cosignature.ts'
import { parseVkey, vkeyOf } from '../../../domain/proof/keys.ts'
import { isConsistent } from '../../../domain/proof/merkle.ts'
import { parseNote, signatureLine } from '../../../domain/proof/note.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { keyOfSeed } from '../../../runtime/proof/keys.ts'

type Answer = { readonly status: number; readonly text: string }

export type StubWitness = {
  readonly url: string
  /** Its verifier key, of type 4. */
  readonly vkey: string
  /** The line of a policy. */
  readonly line: string
  /** The old sizes of the requests so far. */
  readonly asked: readonly number[]
  /** The statuses of its answers so far. */
  readonly answered: readonly number[]
  /** Replaces its answers: with a fixed one, with a changed one, or with none until it is released. Null ends it. */
  readonly misbehave: (change: ((honest: Answer) => Answer | Promise<Answer>) | null) => void
  /** Makes it forget the log, or know another size or root of it. */
  readonly remember: (known: Pick<Checkpoint, 'size' | 'root'> | null) => void
  readonly close: () => Promise<void>
}

const timestamped = (seconds: number, signature: Buffer): Buffer => {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  return Buffer.concat([time, signature])
}

/**
 * Starts a witness (c2sp.org/tlog-witness) that knows one log, with the key of a seed of 32 equal bytes.
 */
export const startStubWitness = async (
  logVkey: string,
  { seed = 9, name = 'witness.example/w1', seconds = 1_780_000_000 } = {},
): Promise<StubWitness> => {
  const log = await parseVkey(logVkey, nodeCrypto)
  const key = keyOfSeed(name, new Uint8Array(32).fill(seed))
  const publicKey = (await parseVkey(key.vkey, nodeCrypto)).key
  const { text: vkey, id } = await vkeyOf(name, 4, publicKey, nodeCrypto)
  let known: Pick<Checkpoint, 'size' | 'root'> | null = null
  let change: ((honest: Answer) => Answer | Promise<Answer>) | null = null
  const asked: number[] = []
  const answered: number[] = []

  const answer = async (body: string): Promise<Answer> => {
    const end = body.indexOf('\n\n')
    const [old = '', ...proof] = body.slice(0, end).split('\n')
    const from = Number(old.slice('old '.length))
    asked.push(from)
    const note = parseNote(body.slice(end + 2))
    const checkpoint = parseCheckpoint(note.text)
    if (checkpoint.origin !== log.name) return { status: 404, text: '' }
    const signature = note.signatures.find((line) => line.id === log.id)
    if (!signature || !(await verifySignature(log, note, signature, nodeCrypto))?.valid)
      return { status: 403, text: '' }
    if (from > checkpoint.size) return { status: 400, text: '' }
    const size = known?.size ?? 0
    if (from !== size) return { status: 409, text: `${size}\n` }
    if (known && size === checkpoint.size && !Buffer.from(known.root).equals(checkpoint.root))
      return { status: 409, text: `${size}\n` }
    const hashes = proof.map((line) => Buffer.from(line, 'base64'))
    if (known) {
      const consistent = await isConsistent(
        { from: size, to: checkpoint.size, from_root: known.root, to_root: checkpoint.root, proof: hashes },
        nodeCrypto.sha256,
      )
      if (!consistent) return { status: 422, text: '' }
    } else if (hashes.length > 0) return { status: 422, text: '' }
    known = checkpoint
    const message = Buffer.from(cosignedMessage(note.text, seconds)).toString()
    return { status: 200, text: `${signatureLine(name, id, timestamped(seconds, key.sign(message)))}\n` }
  }

  const server = createServer((request, response) => {
    void text(request)
      .then(async (body) => {
        const honest = await answer(body)
        const { status, text: sent } = change ? await change(honest) : honest
        answered.push(status)
        response.writeHead(request.url === '/submit/add-checkpoint' ? status : 500).end(sent)
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/submit/`
  return {
    url,
    vkey,
    line: `witness w${seed} ${vkey} ${url}\n`,
    asked,
    answered,
    misbehave: (changed) => {
      change = changed
    },
    remember: (remembered) => {
      known = remembered
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
