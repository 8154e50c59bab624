import { it } from 'vitest'
import { gzipSync, deflateSync, deflateRawSync } from 'node:zlib'
import { openApp } from '../support/app.ts'
import { theExample } from '../support/documents.ts'
it('smokes', async () => {
  const a = await openApp({mode: 'open'})
  await a.ingest(theExample())
  const show = async (label: string, p: Promise<any>) => { const r = await p; console.log(label, r.statusCode, JSON.stringify(r.headers), r.body.slice(0, 160)) }
  const s = a.as(null)
  for (const path of ['/runs/', '/runs//cases', '/projects//suites', '/runs/%FF', '/nothing/%FF', '/runs/%2F', '/runs/a%252Fb', '/runs/' + 'x'.repeat(16000), '/runs/' + 'x'.repeat(17000), '/runs?project=%FF', '/runs?project=a%20b%', '/runs?__proto__=1', '/runs?constructor=1', '/runs?=x', '/runs?&', '/runs?project=a&project=b', '/meta?x', '/runs/%E0%A4%A'])
    await show(path.slice(0, 40), s('GET', path))
  await show('POST meta', s('POST', '/meta'))
  await show('OPTIONS runs', s('OPTIONS', '/runs'))
  await show('PROPFIND', s('PROPFIND' as any, '/runs'))
  await show('PUT runs/%FF', s('PUT', '/runs/%FF'))
  await show('head', s('HEAD', '/runs'))
  await show('get', s('GET', '/runs'))
  await show('head export', s('HEAD', '/runs/01K2ZQ7C8V4T9E6M3B5N1R0WXA/export'))
  await show('get export', s('GET', '/runs/01K2ZQ7C8V4T9E6M3B5N1R0WXA/export'))
  for (const url of ['/', '/x', '/assets/x', '/health', '/metrics', '/api', '/x%FF']) for (const method of ['GET', 'POST', 'HEAD'] as const) await show(method + url, a.app.inject({ method, url }))
  for (const ct of [undefined, 'garbage', 'text/plain', 'application/json', 'application/vnd.a+json; charset=utf-8', 'APPLICATION/JSON', 'application/jsonp', '']) await show('ct ' + ct, a.app.inject({ method: 'POST', url: '/api/v1/runs', headers: ct === undefined ? {} : { 'content-type': ct }, payload: '{"schema_version":9}' }))
  const b = '/projects/support-desk/suites/refunds/baseline'
  const j = { 'content-type': 'application/json' }
  const ok = JSON.stringify({ run_id: theExample().run_id })
  await show('b', s('PUT', b, { headers: j, body: ok }))
  await show('b ?x bad body', s('PUT', b + '?x=1', { headers: j, body: '{"y":1}' }))
  await show('b ?x bad enc', s('PUT', b + '?x=1', { headers: {...j, 'content-encoding': 'br'}, body: '{"y":1}' }))
  await show('b y', s('PUT', b, { headers: j, body: '{"y":1}' }))
  await show('b null', s('PUT', b, { headers: j, body: 'null' }))
  await show('b bad', s('PUT', b, { headers: j, body: '{' }))
  await show('b gz', s('PUT', b, { headers: {...j, 'content-encoding': 'gzip'}, body: gzipSync(ok) }))
  await show('b de', s('PUT', b, { headers: {...j, 'content-encoding': 'deflate'}, body: deflateSync(ok) }))
  await show('b deraw', s('PUT', b, { headers: {...j, 'content-encoding': 'deflate'}, body: deflateRawSync(ok) }))
  await show('b none', s('PUT', b))
  await show('b del', s('DELETE', b))
  await show('b del', s('DELETE', b))
  for (const since of ['2026-05-04T24:00:00Z', '2026-05-04T09:00:00', '2026-05-04T09:00:00%2B99:99', '2026-05-04T09:00:00%2B23:59', '0000-02-29T00:00:00Z', '2026-02-29T00:00:00Z', '2026-05-04T09:00:60Z','-5', '2026-05-04T09:00:00.123456789Z', '2026-05-04T09:00:00%2B24:00', '2026-05-04T09:00:00-00:00'])
    await show(since, s('GET', '/runs?since=' + since))
  await a.close()
})
