import { createHash } from 'node:crypto'
import { benchDocument } from '../documents.ts'
import { agentTranscript } from './agent-transcript.ts'
import { ask } from './clients.ts'
import type { SoakServer } from './server.ts'
import { MIB } from './soak.ts'

const PIECE = 8 * MIB
const RUN = 'bench-00000000'

/** Sends a part in pieces, as they are made. Returns its digest. */
const sendPart = async ({ url, token }: SoakServer, bytes: () => Generator<Buffer>): Promise<[string, number]> => {
  const hash = createHash('sha256')
  let total = 0
  for (const chunk of bytes()) {
    hash.update(chunk)
    total += chunk.length
  }
  const sha256 = hash.digest('hex')
  let held: Buffer[] = []
  let size = 0
  let sent = 0
  const send = async (body: Buffer): Promise<void> => {
    const range = `bytes ${sent}-${sent + body.length - 1}/${total}`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
    const whole = total <= PIECE
    const answer = await fetch(`${url}/api/v1/parts/${sha256}`, {
      method: 'PUT',
      headers: whole ? headers : { ...headers, 'content-range': range },
      body: new Uint8Array(body),
    })
    if (!answer.ok) throw new Error(`a piece was answered with ${answer.status}: ${await answer.text()}`)
    sent += body.length
  }
  for (const chunk of bytes()) {
    held.push(chunk)
    size += chunk.length
    while (size >= PIECE) {
      const all = Buffer.concat(held)
      await send(all.subarray(0, PIECE))
      held = [all.subarray(PIECE)]
      size = all.length - PIECE
    }
  }
  if (size > 0) await send(Buffer.concat(held))
  return [sha256, total]
}

export type StoredTranscript = {
  readonly run_id: string
  readonly case_key: string
  readonly sha256: string
  readonly bytes: number
}

/** Stores a run with a transcript of an invented agent. */
export const storeTranscript = async (
  server: SoakServer,
  shape: Parameters<typeof agentTranscript>[0],
): Promise<StoredTranscript> => {
  await ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(0)) })
  const { body } = await ask(server, `/runs/${RUN}/cases?limit=1`)
  const { cases } = JSON.parse(body.toString()) as { readonly cases: readonly [{ readonly case_key: string }] }
  const { case_key } = cases[0]
  const [sha256, bytes] = await sendPart(server, () => agentTranscript(shape))
  const manifest = Buffer.from(
    JSON.stringify({ evidence: 1, parts: [{ sha256, bytes, role: 'transcript', case_key }] }),
  )
  const [named] = await sendPart(server, function* () {
    yield manifest
  })
  const attached = await ask(server, `/runs/${RUN}/evidence`, {
    method: 'POST',
    body: Buffer.from(JSON.stringify({ manifest: named })),
  })
  if (attached.status !== 201) throw new Error(`the manifest was answered with ${attached.status}`)
  return { run_id: RUN, case_key, sha256, bytes }
}
