import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import ReceiptDialog from '../../../../webapp/pages/run/ReceiptDialog.vue'

it('the dialog of a receipt says that the receipt holds the network address of the uploader', async () => {
  vi.stubGlobal('fetch', async () => new Response('c2sp.org/tlog-proof@v1\n'))
  const dialog = mount(ReceiptDialog, {
    props: { id: 'run', open: true },
    attachTo: document.body,
    global: { plugins: [[VueQueryPlugin, { queryClient: new QueryClient() }]] },
  })
  await flushPromises()
  expect(document.body.textContent.replaceAll(/\s+/g, ' ')).toContain('the network address of the uploader')
  dialog.unmount()
})

it('the dialog of a refused receipt has the recorded digest, the document, and the command that gets the receipt', async () => {
  const digest = 'ab'.repeat(32)
  const answers: Readonly<Record<string, () => Response>> = {
    '/api/v1/runs/run/receipt': () =>
      Response.json({ error: 'only who uploaded this run, or an admin, may have its receipt' }, { status: 403 }),
    '/api/v1/runs/run/export': () => new Response('{}', { headers: { etag: `"${digest}"` } }),
    '/api/v1/auth/me': () => Response.json({ authenticated: false, user: null, scope: null, source: null }),
    '/api/v1/meta': () => Response.json({ auth_mode: 'open', setup_required: false }),
  }
  vi.stubGlobal('fetch', async (path: string) => answers[path]?.())
  const dialog = mount(ReceiptDialog, {
    props: { id: 'run', open: true },
    attachTo: document.body,
    global: { plugins: [[VueQueryPlugin, { queryClient: new QueryClient() }]] },
  })
  await vi.waitUntil(() => document.body.textContent.includes(digest))
  expect(document.body.textContent).toContain('This server is open')
  expect(document.body.textContent).toContain('ers receipt run')
  expect(document.querySelector('a[download="run.json"]')?.getAttribute('href')).toBe('/api/v1/runs/run/export')
  dialog.unmount()
})
