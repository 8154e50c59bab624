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
