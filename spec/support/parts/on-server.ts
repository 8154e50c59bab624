import { digestOf, manifestOf, octets, PIECE } from '../documents/parts.ts'
import { aDocument } from '../documents/documents.ts'
import type { RunningServer } from '../servers/server.ts'

/** Bytes of three pieces that differ, the last with 5 bytes. They can be compressed, so that little is written. */
export const threePieces = (): Buffer =>
  Buffer.concat([Buffer.alloc(PIECE, 'the first piece, '), Buffer.alloc(PIECE, 'the second, '), Buffer.from('third')])

/** Requests about one part, to a server that runs as a process. */
export const partOnServer = ({ url, token }: RunningServer, bytes: Buffer) => {
  const sha256 = digestOf(bytes)
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body && { body: new Uint8Array(body) }),
    })
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  }
  const json = async (answer: ReturnType<typeof ask>): Promise<unknown> => JSON.parse((await answer).body.toString())
  return {
    /** Sends the n-th piece. Returns what the server says it has then. */
    putPiece: (n: number): Promise<unknown> => {
      const piece = bytes.subarray(n * PIECE, (n + 1) * PIECE)
      const range = `bytes ${n * PIECE}-${n * PIECE + piece.length - 1}/${bytes.length}`
      return json(ask('PUT', `/parts/${sha256}`, { ...octets, 'content-range': range }, piece))
    },
    /** The state of the upload. */
    upload: (): Promise<unknown> => json(ask('GET', `/parts/${sha256}/upload`)),
    /** Uploads a run whose evidence is the part. Returns the statuses of the manifest and of the run. */
    nameByRun: async (run_id: string): Promise<number[]> => {
      const manifest = manifestOf([{ bytes, role: 'original' }])
      const sent = await ask('PUT', `/parts/${digestOf(manifest)}`, octets, manifest)
      const document = { ...aDocument({ run_id }), evidence_manifest: digestOf(manifest) }
      const type = { 'content-type': 'application/json' }
      return [sent.status, (await ask('POST', '/runs', type, Buffer.from(JSON.stringify(document)))).status]
    },
    /** Whether a run has the part, byte for byte. */
    isOfRun: async (run_id: string): Promise<boolean> =>
      (await ask('GET', `/runs/${run_id}/parts/${sha256}`)).body.equals(bytes),
  }
}
