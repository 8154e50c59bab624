import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import type { SpecApp } from '../support/app.ts'

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
})
afterAll(() => spec.close())

describe('the web shell', () => {
  it.each(['/', '/login', '/runs/01K2ZQ7C8V4T9E6M3B5N1R0WXA', '/any/other/path', '/favicon.ico', '/health/', '/api', '/runs/x?tab=cases', '/assets', '//'])('is what %s answers, to anyone', async (url) => {
    const answer = await spec.app.inject(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.body).toMatch(/^<!doctype html>/)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const)('is answered to %s as well', async (method) => {
    for (const url of ['/', '/login']) expect((await spec.app.inject({ method, url, headers: { 'content-type': 'garbage' }, payload: 'x' })).statusCode).toBe(200)
  })

  it('runs no script and cannot be framed', async () => {
    const { headers, body } = await spec.app.inject('/')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(body).not.toContain('<script')
  })

  it('never stands in for an asset', async () => {
    for (const url of ['/assets/', '/assets/index-1234.js']) {
      const answer = await spec.app.inject(url)
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toEqual({ error: 'asset not found' })
    }
  })
})
