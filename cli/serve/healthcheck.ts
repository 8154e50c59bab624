import { Command, InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { causeOf } from '../client/service-client.ts'

const TIMEOUT_MS = 3_000
const Health = z.object({ status: z.literal('ok') })

export const healthcheckCommand = (): Command =>
  withUsageExit(new Command('healthcheck'))
    .option(
      '--url <url>',
      'base URL of the service (default http://127.0.0.1 with the port in PORT, else 8321)',
      parseAddress,
    )
    .action(async ({ url }: { url?: string }) => {
      const reason = await whyUnhealthy(url ?? `http://127.0.0.1:${process.env['PORT'] || '8321'}`, TIMEOUT_MS)
      if (reason === null) return console.log('ok')
      console.error(reason)
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
    const body = await response.text()
    if (!response.ok) return `${url} answers ${response.status}`
    // Any web server may answer 200.
    return isHealth(body) ? null : `${url} does not answer like an evaluation results service`
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return isTimeout
      ? `${url} does not answer within ${timeoutMs / 1000} s`
      : `${url} cannot be reached: ${causeOf(error)}`
  }
}

const isHealth = (body: string): boolean => {
  try {
    return Health.safeParse(JSON.parse(body)).success
  } catch {
    return false
  }
}
