import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { readWebBuild } from '../../http/web.ts'
import { openApp } from '../support/servers/app.ts'

const web = readWebBuild()
const spec = await openApp()
afterAll(() => spec.close())

describe('the web shell', () => {
  it.each([
    '/',
    '/login',
    '/runs/01K2ZQ7C8V4T9E6M3B5N1R0WXA',
    '/any/other/path',
    '/favicon.ico',
    '/health/',
    '/api',
    '/runs/x?tab=cases',
    '/assets',
    '//',
  ])('is the response for %s, to any caller', async (url) => {
    const answer = await spec.app.inject(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.body).toMatch(/^<!doctype html>/)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const)(
    'is also the response to %s',
    async (method) => {
      for (const url of ['/', '/login'])
        expect(
          (await spec.app.inject({ method, url, headers: { 'content-type': 'garbage' }, payload: 'x' })).statusCode,
        ).toBe(200)
    },
  )

  it('runs and loads only its own files, and cannot be framed', async () => {
    const { headers, body } = await spec.app.inject('/')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('same-origin')
    expect(body).toMatch(/<script type="module"[^>]* src="\/assets\/[^"]+\.js"><\/script>/)
    expect(body).not.toMatch(/<style|style=|<script(?![^>]* src=)/)
  })

  it('says that it needs its own hostname if its styles do not load, and only then', async () => {
    const { body } = await spec.app.inject('/')
    expect(body).toContain('<p class="unstyled">This page cannot load its files. It needs its own hostname.')
    const [, styles = ''] = /<link rel="stylesheet"[^>]* href="([^"]+)"/.exec(body) ?? []
    expect((await spec.app.inject(styles)).body).toContain('.unstyled{display:none}')
  })

  it('is not sent again to a browser that has it', async () => {
    const { etag } = (await spec.app.inject('/')).headers
    const again = await spec.app.inject({ url: '/runs', headers: { 'if-none-match': `"other", W/${String(etag)}` } })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
  })
})

describe('an asset of the web app', () => {
  const [path = '', file] =
    [...(web?.assets ?? [])].find(([name]) => name.endsWith('.js') && name.includes('/index-')) ?? []

  it('is cached forever, because its name contains its hash', async () => {
    const { statusCode, headers, rawPayload } = await spec.app.inject(path)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(rawPayload.equals(file?.plain ?? Buffer.alloc(0))).toBe(true)
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['br;q=0.0,gzip;q=0', undefined],
  ])('is sent to clients that accept %s as %s', async (accepted, coding) => {
    const { headers, rawPayload } = await spec.app.inject({ url: path, headers: { 'accept-encoding': accepted } })
    expect(headers['content-encoding']).toBe(coding)
    const plain =
      coding === 'br' ? brotliDecompressSync(rawPayload) : coding === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    expect(plain.equals(file?.plain ?? Buffer.alloc(0))).toBe(true)
  })

  it('is never replaced by the shell when it does not exist', async () => {
    for (const url of [
      '/assets/',
      '/assets/index-1234.js',
      '/assets/../index.html',
      '/assets/..%2Findex.html',
      `${path}.br`,
    ]) {
      const response = await spec.app.inject(url)
      // A path that leads out of the assets returns the page.
      if (response.headers['content-type'] === 'text/html; charset=utf-8') expect(url).toBe('/assets/../index.html')
      else expect([response.statusCode, response.json()]).toEqual([404, { error: 'asset not found' }])
    }
  })
})

describe('a web app that is not built', () => {
  it('is replaced by a plain page, and the API works', async () => {
    const unbuilt = await openApp({ parts: () => ({ web: null }) })
    const answer = await unbuilt.app.inject('/runs')
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toContain('npm run build')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await unbuilt.app.inject('/api/v1/health')).json()).toEqual({ status: 'ok' })
    await unbuilt.close()
  })

  it('is read with the first request for a part of it, and stays as it was then', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-web-'))
    const write = (text: string): void => {
      for (const name of ['index.html', 'check-receipt.html', 'review.html', 'assets/a.js'])
        writeFileSync(join(folder, name), text)
    }
    mkdirSync(join(folder, 'assets'))
    write('first')
    writeFileSync(join(folder, 'complete'), '')
    const build = readWebBuild(folder)
    write('second')
    expect(build?.page.plain.toString()).toBe('second')
    write('third')
    expect(build?.checker.plain.toString()).toBe('second')
    expect(build?.review.plain.toString()).toBe('second')
    expect([...(build?.assets ?? [])].map(([path, { plain }]) => [path, plain.toString()])).toEqual([
      ['/assets/a.js', 'second'],
    ])
    rmSync(folder, { recursive: true })
  })

  it('is unpacked for clients that accept no compressed form, if it has no other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-web-'))
    for (const name of ['index.html', 'check-receipt.html', 'review.html', 'complete'])
      writeFileSync(join(folder, name), '')
    mkdirSync(join(folder, 'assets'))
    const [br, gzip] = [brotliCompressSync('text'), gzipSync('text')]
    writeFileSync(join(folder, 'assets/a.js.br'), br)
    writeFileSync(join(folder, 'assets/a.js.gz'), gzip)
    const assets = readWebBuild(folder)?.assets
    expect([...(assets?.keys() ?? [])]).toEqual(['/assets/a.js'])
    const file = assets?.get('/assets/a.js')
    expect(file).toMatchObject({ type: 'text/javascript; charset=utf-8', br, gzip })
    expect(file?.plain.toString()).toBe('text')
    rmSync(folder, { recursive: true })
  })

  it('is read as null, even when it is built only in part', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-web-'))
    expect(readWebBuild(join(folder, 'none'))).toBeNull()
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    expect(readWebBuild(folder)).toBeNull()
    rmSync(folder, { recursive: true })
  })
})
