import { expect, it } from 'vitest'
import { accessLog } from '../../../http/metrics/access-log.ts'

it.each(['info', 'debug'] as const)('the access log writes each request at the level %s', (level) => {
  const lines: unknown[] = []
  const logger = {
    info: (fields: unknown, text: unknown) => lines.push(['info', fields, text]),
    debug: (fields: unknown, text: unknown) => lines.push(['debug', fields, text]),
  }
  accessLog(logger as never, level)({ method: 'GET', path: '/a', request_id: 'r', status: 200, milliseconds: 1.23456 })
  expect(lines).toEqual([
    [level, { method: 'GET', path: '/a', request_id: 'r', status: 200, latency_ms: 1.235 }, 'response'],
  ])
})
