import { Command, InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { printable } from '../../domain/text/printable.ts'
import { dropBody } from '../../engine/http/read-body.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { WrongAnswer, readAnswer } from '../client/answer.ts'
import { causeText } from '../../domain/plain/cause-text.ts'
import { DEFAULT_PORT } from './variables.ts'

const TIMEOUT_MS = 3_000
const MAX_ANSWER_BYTES = 64 * 1024
const Health = z.object({ status: z.literal('ok') })

export const healthcheckCommand = (): Command =>
  withUsageExit(new Command('healthcheck'))
    .option(
      '--url <url>',
      'base URL of the service (default http://127.0.0.1 with the port in PORT, else 8321)',
      parseAddress,
    )
    .action(async ({ url }: { url?: string }) => {
      const reason = await whyUnhealthy(url ?? `http://127.0.0.1:${process.env['PORT'] || DEFAULT_PORT}`, TIMEOUT_MS)
      if (reason === null) return console.log('ok')
      console.error(printable(reason))
      process.exitCode = 1
    })

const parseAddress = (text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('It must be an http or https URL.')
  return text
}

/** Returns null if the service at `base` answers its health endpoint in time, else the reason. */
export const whyUnhealthy = async (base: string, timeoutMs: number): Promise<string | null> => {
  const url = `${base.replace(/(?<!\/)\/+$/, '')}/api/v1/health`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' })
    if (!response.ok) {
      await dropBody(response)
      const target = response.headers.get('location')
      return `${url} answers ${response.status}${target === null ? '' : ` with a redirect to ${target.slice(0, 200)}`}`
    }
    // Any web server may answer 200.
    await readAnswer(response, Health, MAX_ANSWER_BYTES)
    return null
  } catch (error) {
    if (error instanceof WrongAnswer) return `${url} ${error.message}`
    return isTimeout(error)
      ? `${url} does not answer within ${timeoutMs / 1000} s`
      : `${url} cannot be reached: ${causeText(error)}`
  }
}

/** Also recognises the timeout of a body, whose reader wraps the error. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause))
