import { afterAll, expect, it } from 'vitest'
import { openBrowser, setUp, visit } from '../../support/browser.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { adminRequests } from '../../support/pages/run.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())
const { upload, send } = adminRequests(() => server)
const [browser, server] = await Promise.all([openBrowser(), startServer()])
const session = await setUp(server.url)
const { case_key } = aCase()
await upload(aDocument({ run_id: 'one', cases: [aCase({ name: 'Ask for the city' })] }))

it('a run gets comments, also on its cases, which are plain text, lead to their case, and are deleted after a question', async () => {
  await send('POST', '/runs/one/comments', { text: '<b>not</b> markup\nWrong city.', case_key })
  const { page } = await visit(browser, server.url, '/runs/one', { session })
  const dialog = page.getByRole('dialog', { name: 'Comments' })
  await page.getByRole('button', { name: 'Comments 1' }).click()
  await dialog.getByText('<b>not</b> markup').waitFor()
  await dialog.getByRole('textbox').fill('A draft')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Comments 1' }).click()
  expect(await dialog.getByRole('textbox').inputValue()).toBe('A draft')
  await dialog.getByRole('textbox').fill('Look at the first case.')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog.getByText('Look at the first case.').waitFor()

  await dialog
    .getByRole('button', { name: /^Delete the comment/ })
    .first()
    .click()
  const question = page.getByRole('dialog', { name: 'Delete this comment?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await dialog.getByRole('listitem').count()).toBe(2)
  await dialog
    .getByRole('button', { name: /^Delete the comment/ })
    .first()
    .click()
  await question.getByRole('button', { name: 'Delete comment' }).click()
  await dialog.getByText('Look at the first case.').waitFor({ state: 'detached' })
  expect(await dialog.getByRole('textbox').evaluate((box) => box === document.activeElement)).toBe(true)

  await dialog.getByRole('link', { name: 'Ask for the city' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.waitForURL(`**/runs/one/cases/${case_key}`)
})

it('a reader finds no button where there is no comment, and no form where there are some', async () => {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  await upload(aDocument({ run_id: 'read' }))
  const user = { username: 'reader', password: 'long enough' }
  const post = (path: string, body: object) =>
    fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await post('/users', { ...user, role: 'viewer' })
  const { token } = (await (await post('/auth/login', user)).json()) as { token: string }
  const { page } = await visit(browser, server.url, '/runs/read', { session: token })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Share' }).waitFor()
  expect(await page.getByRole('button', { name: /comment/i }).count()).toBe(0)
  await post('/runs/read/comments', { text: 'Look at this.' })
  await page.reload()
  await page.getByRole('button', { name: 'Comments 1' }).click()
  await page.getByText('Look at this.').waitFor()
  expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0)
})

it('a case has its own comments and their number, also from the palette', async () => {
  const about = (name: string) => aCase({ cell: { test_id: name }, name })
  const [first, second] = [about('first'), about('second')]
  await upload(aDocument({ run_id: 'cases', cases: [first, second] }))
  await send('POST', '/runs/cases/comments', { text: 'About the first.', case_key: first.case_key })
  await send('POST', '/runs/cases/comments', { text: 'About the second.', case_key: second.case_key })
  const { page } = await visit(browser, server.url, `/runs/cases/cases/${first.case_key}`, { session, width: 390 })
  const drawer = page.locator('.case-drawer')
  const dialog = page.getByRole('dialog', { name: 'Comments' })
  await drawer.getByRole('button', { name: 'Comments 1' }).click()
  await dialog.getByText('About the first.').waitFor()
  expect(await dialog.getByText('About the second.').count()).toBe(0)
  await dialog.getByRole('textbox').fill('The judge is right.')
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click()
  await dialog.getByRole('listitem').getByText('The judge is right.').waitFor()
  await page.keyboard.press('Escape')
  await drawer.getByRole('button', { name: 'Comments 2' }).waitFor()
  await page.keyboard.press('j')
  await drawer.getByRole('button', { name: 'Comments 1' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to or do' }).fill('comment on this case')
  await page.getByRole('option', { name: 'Comment on this case', exact: true }).click()
  await dialog.getByText('About the second.').waitFor()
})
