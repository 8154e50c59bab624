import { createHash, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { findNewestCheckpoint } from '../../../queries/log/checkpoints.ts'
import type { StoredCosignature } from '../../../queries/log/checkpoints.ts'
import type { CheckpointSigner, CosignedCheckpoint } from '../../../runtime/proof/signer.ts'
import type { OpenService } from '../../../runtime/services.ts'
import type { PlainSql } from '../stores/plain-sql.ts'
import { openApp } from './app.ts'
import type { SpecApp } from './app.ts'

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_BYTES = 12

/** A key of c2sp.org/signed-note from a seed of one repeated byte: never a key of a real log. */
const keyOf = (name: string, type: 1 | 4, byte: number) => {
  const secret = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' })
  const typed = Buffer.concat([Uint8Array.of(type), spki.subarray(SPKI_BYTES)])
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4)
  return { name, id, secret, vkey: `${name}+${id.toString('hex')}+${typed.toString('base64')}` }
}

const LOG = keyOf('results.example/log', 1, 1)
const WITNESS = keyOf('witness.example/w1', 4, 2)

/** The verifier keys of the log and of its one witness. */
export const VKEYS = { log: LOG.vkey, witness: WITNESS.vkey } as const

const signatureLine = (
  { name, id, secret }: { readonly name: string; readonly id: Buffer; readonly secret: KeyObject },
  message: string,
  before: Uint8Array = Buffer.alloc(0),
): string =>
  `— ${name} ${Buffer.concat([id, before, signBytes(null, Buffer.from(message), secret)]).toString('base64')}`

/** A signer for specs. It signs with a known key, and only when it is asked. */
export type SpecSigner = CheckpointSigner & {
  /** Signs a checkpoint of the whole log. */
  readonly sign: () => Promise<CosignedCheckpoint>
  /** Adds the witness's cosignature to the newest checkpoint. */
  readonly cosign: () => Promise<void>
  /** How many checkpoints were signed. */
  readonly signed: () => number
}

/** Signs checkpoints of a service, and writes them to its store with `store`. */
export const openSpecSigner = (service: OpenService, store: () => Pick<PlainSql, 'rows'>): SpecSigner => {
  const kept: CosignedCheckpoint[] = []
  const withSize = (least: number, isCosigned: boolean): CosignedCheckpoint | undefined =>
    kept.findLast(({ size, cosignatures }) => size >= least && (!isCosigned || cosignatures.length > 0))

  const sign = async (): Promise<CosignedCheckpoint> => {
    const head = await service.head()
    const earlier = kept.find(({ size }) => size === head.size)
    if (earlier) return earlier
    const root = Buffer.from(head.root, 'hex')
    const text = `${LOG.name}\n${head.size}\n${root.toString('base64')}\n`
    const note = `${text}\n${signatureLine(LOG, text)}\n`
    const signed_at = service.now()
    await store().rows('INSERT INTO checkpoints (size, root, signed_at, note) VALUES ($1, $2, $3, $4) RETURNING size', [
      head.size,
      root,
      signed_at,
      note,
    ])
    const signed = { size: head.size, root, signed_at, note, cosignatures: [] }
    kept.push(signed)
    return signed
  }

  return {
    vkeys: [LOG.vkey],
    newest: async () => kept.at(-1) ?? null,
    newestCosigned: async () => withSize(0, true) ?? null,
    covering: async (size) => withSize(size, true) ?? withSize(size, false) ?? sign(),
    close: async () => {},
    sign,
    cosign: async () => {
      const newest = await service.reader.read(findNewestCheckpoint)
      const at = kept.findIndex(({ size }) => size === newest?.size)
      const checkpoint = kept[at]
      if (!checkpoint) throw new Error('sign a checkpoint first')
      const seconds = Math.floor(service.now() / 1000)
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(seconds))
      const text = checkpoint.note.slice(0, checkpoint.note.indexOf('\n\n') + 1)
      const line = signatureLine(WITNESS, `cosignature/v1\ntime ${seconds}\n${text}`, time)
      const row: StoredCosignature = {
        size: checkpoint.size,
        key_name: WITNESS.name,
        key_id: WITNESS.id.toString('hex'),
        line,
        at: seconds,
      }
      await store().rows(
        'INSERT INTO cosignatures (size, key_name, key_id, line, at) VALUES ($1, $2, $3, $4, $5) RETURNING size',
        [row.size, row.key_name, row.key_id, row.line, row.at],
      )
      kept[at] = { ...checkpoint, cosignatures: [row] }
    },
    signed: () => kept.length,
  }
}

/** Opens an app that signs checkpoints when a spec asks it to. */
export const openSigningApp = async ({
  parts = () => ({}),
  ...options
}: Parameters<typeof openApp>[0] = {}): Promise<{ readonly spec: SpecApp; readonly signer: SpecSigner }> => {
  const opened: SpecSigner[] = []
  const spec: SpecApp = await openApp({
    ...options,
    parts: (service) => {
      const signer = openSpecSigner(service, () => spec)
      opened.push(signer)
      return { ...parts(service), signer }
    },
  })
  const [signer] = opened
  if (!signer) throw new Error('the app did not ask for its parts')
  return { spec, signer }
}
