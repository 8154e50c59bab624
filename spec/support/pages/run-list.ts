import type { Locator, Page } from 'playwright-core'
import { aDocument } from '../documents/documents.ts'
import { upload, uploadSamples } from '../documents/sample-data.ts'
import type { RunningServer } from '../servers/server.ts'

const HOSTILE =
  '<script>document.title = "taken over"</script><img src="https://evil.example/x.png"> \u202eevil שלום 🚀'

/** Uploads 44 real runs, two of them fully cached, and one whose texts would do harm if they were interpreted. */
export const uploadRunList = async (server: RunningServer): Promise<void> => {
  await uploadSamples(server)
  await upload(
    server,
    JSON.stringify(
      aDocument({
        run_id: 'hostile/../run?#',
        project: 'x/y',
        suite: '../suite',
        finished_at: '2026-05-04T09:00:01Z',
        origin: { note: HOSTILE, actor: '<b>mallory</b>' },
        git: { commit: '0123456789abcdef', branch: 'feature/"><svg onload=alert(1)>', dirty: true },
        ci: { provider: 'jenkins', run_url: 'javascript:alert(1)' },
        filters: { tags: ['nightly'] },
      }),
    ),
  )
}

export const rows = (page: Page) => page.locator('tbody tr')
export const filterBox = (page: Page) => page.getByRole('combobox', { name: 'Add a filter' })
/** Resolves when the list is shown and no request is pending. */
export const settled = async (page: Page): Promise<void> => {
  await rows(page).first().waitFor()
  await page.locator('section[aria-busy="false"]').waitFor()
}
export const count = async (page: Page, words: string): Promise<void> =>
  page.locator('.line').getByText(words, { exact: true }).waitFor()
export const attributes = async (locator: Locator, name: string): Promise<Array<string | null>> =>
  Promise.all((await locator.all()).map((element) => element.getAttribute(name)))
