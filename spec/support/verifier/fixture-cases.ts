import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import * as z from 'zod'
import { asText, type ProofCase } from './cases.ts'
import {
  DOCUMENT,
  SEEDS,
  consistencyOf,
  noteKey,
  receiptOf,
  rootOf,
  sealed,
  sha256,
  signedCheckpoint,
  writtenRuns,
} from './written-log.ts'

/** The keys of the fixtures: a log, the same log after a rotation, and three witnesses. */
export const LOG = noteKey('results.example/log', SEEDS.go, 1)
export const W1 = noteKey('witness.example/w1', SEEDS.tessera, 4)
export const W2 = noteKey('witness.example/w2', SEEDS.rfc2, 4)

const policyOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`
const LOG_LINE = `log ${LOG.vkey}`
export const POLICY_W1 = policyOf(LOG_LINE, `witness w1 ${W1.vkey}`, 'quorum w1')
export const POLICY_BOTH = policyOf(
  LOG_LINE,
  `witness w1 ${W1.vkey}`,
  `witness w2 ${W2.vkey}`,
  'group both all w1 w2',
  'quorum both',
)

/** The record of the check value of the event log. */
const CHECK_RECORD = sealed(
  'RunIngested',
  1_777_885_244_000,
  '{"actor":{"address":null,"credential_id":null,"kind":"static","scope":"write","user_id":null},"data":{"document_bytes":2,"document_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","project":"chat","suite":"smoke"},"request_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA","stream":"run/a%2Fb","version":1}',
  '000102030405060708090a0b0c0d0e0f',
)
/** The tree of the check value: leaves 0 and 2 are samples of RFC 6962. */
const CHECK_LEAVES = [sha256(Buffer.of(0)), CHECK_RECORD.leaf, sha256(Buffer.of(0), Buffer.of(0x10))]
export const CHECK_CHECKPOINT = signedCheckpoint(CHECK_LEAVES, [LOG, W1])
export const CHECK_RECEIPT = receiptOf(CHECK_RECORD, 1, CHECK_LEAVES, [LOG, W1])

const CASE = z.object({
  name: z.string(),
  command: z.enum(['receipt', 'checkpoint', 'consistency', 'ed25519']),
  code: z.number(),
  files: z.array(z.string()),
  keys: z.array(z.string()),
  policy: z.string().nullable(),
})

const receipt = (name: string, code: number, files: readonly string[]): ProofCase => ({
  name,
  command: 'receipt',
  code,
  files,
  keys: [LOG.vkey],
  policy: null,
})

const RUNS = writtenRuns(300)
const LEAVES = RUNS.map(({ leaf }) => leaf)
/** A receipt of the log of 300 runs. */
export const receiptAt = (
  index: number,
  size: number,
  keys: readonly [typeof LOG, ...(typeof LOG)[]] = [LOG],
): string => {
  const record = RUNS[index]
  if (record === undefined) throw new Error(`there is no record ${index}`)
  return receiptOf(record, index, LEAVES.slice(0, size), keys)
}
export const checkpointAt = (size: number, keys: readonly [typeof LOG, ...(typeof LOG)[]] = [LOG]): string =>
  signedCheckpoint(LEAVES.slice(0, size), keys)

/** Receipts of one record of each size, from 1 to 300, and of documents that are too long for a file of fixtures. */
export const sizedCases = (): ProofCase[] => [
  ...LEAVES.map((_, at) => receipt(`size ${at + 1}`, 0, [receiptAt((at * 7) % (at + 1), at + 1), DOCUMENT])),
  receipt('a document of 2 GB in 2 MB', 10, [receiptAt(5, 9), bomb()]),
  receipt('a compressed document with 50,000 empty parts behind its end', 0, [
    receiptAt(5, 9),
    asText(Buffer.concat([gzipSync(DOCUMENT), ...Array.from({ length: 50_000 }, () => EMPTY_GZIP)])),
  ]),
]

const EMPTY_GZIP = gzipSync('')
/** Two thousand parts of a megabyte of zeros each. */
const bomb = (): string => {
  const part = gzipSync(Buffer.alloc(1_000_000))
  return asText(Buffer.concat(Array.from({ length: 2000 }, () => part)))
}

/** The answer of GET /consistency. */
export const consistencyAt = (from: number, to: number): string =>
  JSON.stringify({
    from,
    to,
    from_root: rootOf(LEAVES.slice(0, from)).toString('base64'),
    to_root: rootOf(LEAVES.slice(0, to)).toString('base64'),
    proof: consistencyOf(from, LEAVES.slice(0, to)).map((hash) => hash.toString('base64')),
  })

/** The cases of spec/fixtures/proof, with the exit code that every verifier must give. */
export const fixtureCases = (): ProofCase[] =>
  z.array(CASE).parse(JSON.parse(readFileSync(new URL('../../fixtures/proof/cases.json', import.meta.url), 'utf8')))
