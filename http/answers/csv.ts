import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import { flag } from '../requests/shared-parameters.ts'
import { answerStream } from './outgoing-bytes.ts'

/** The response of a route that returns CSV, for the document of the API. */
export const csvContent = {
  description: 'The rows as CSV',
  content: { 'text/csv': { schema: z.string() } },
}

/** `bom` of a CSV file. Off by default: parsers of programs would read the mark as part of the name of the first column. */
export const byteOrderMark = (of: string) =>
  flag.meta({
    default: 'false',
    description: `${of}\`true\` begins the file with a byte order mark, which some spreadsheets need to read UTF-8.`,
  })

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Sends a list as a CSV file, after a byte order mark if `bom` is true. A long list is sent in parts, as fast as the client
 * receives them.
 */
export const sendCsv = (
  method: string,
  reply: FastifyReply,
  name: string,
  answer: LongReadAnswer | null,
  bom: boolean,
): FastifyReply => {
  void reply.type('text/csv; charset=utf-8').header('content-disposition', attachment(name, '.csv'))
  const body = bom
    ? Buffer.concat([Buffer.from(BYTE_ORDER_MARK), Buffer.from(answer?.body ?? '')])
    : (answer?.body ?? '')
  if (!answer?.rest) return reply.send(body)
  // Fastify would read all parts of the stream and discard them.
  return reply.send(method === 'HEAD' ? Readable.from([]) : answerStream(body, answer.rest))
}

/** The header that names a downloaded file. The name has only characters that every file system accepts. */
export const attachment = (name: string, ending: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}${ending}"`
