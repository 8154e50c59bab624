import { afterAll, describe, expect, it } from 'vitest'
import { axe, callApi, isTooWide, openBrowser, setUp, visit } from '../support/browser.ts'
import { startServer } from '../support/servers/server.ts'
import { openReceiver } from '../support/webhooks/receiver.ts'

const call = (method: string, path: string, body?: object, token = session) =>
  callApi(server.url, token, method, path, body)
afterAll(async () => {
  await server.stop()
  await receiver.close()
})

const open = (look: Parameters<typeof visit>[3] = {}) =>
  visit(browser, server.url, '/settings#webhooks', { session, ...look })
const receiver = await openReceiver()
const env = { SERVICE_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'), SERVICE_WEBHOOK_ALLOW: '127.0.0.1' }
const [browser, server] = await Promise.all([openBrowser(), startServer({ env })])
const session = await setUp(server.url)

describe('the webhooks of an account', () => {
  it('are made with a secret that is shown once, tested, and deleted', async () => {
    const { page } = await open({ width: 1280 })
    await page.getByRole('button', { name: 'Make a webhook' }).click()
    await page.getByLabel('For', { exact: true }).selectOption('E-mail')
    await page.getByLabel('Address').fill('team@example.com')
    await page.getByRole('button', { name: 'Make webhook' }).click()
    await page.getByText('e-mails need SERVICE_SMTP_URL').waitFor()
    await page.getByLabel('For', { exact: true }).selectOption('A program (signed JSON)')
    await page.getByLabel('URL').fill('http://receiver.example/')
    await page.getByRole('button', { name: 'Make webhook' }).click()
    await page.getByText('url: must be an https URL: http is only for hosts').waitFor()
    await page.getByLabel('URL').fill(`${receiver.url}/hooks/<b>`)
    await page.getByLabel('A run was uploaded').check()
    await page.getByLabel('Project').fill('chat')
    // Not behind the bar at the top.
    await page.locator('#webhook-format').evaluate((element) => element.scrollIntoView({ block: 'center' }))
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Make webhook' }).click()
    const secret = page.getByRole('group', { name: 'The secret of the webhook' }).locator('code')
    await secret.waitFor()
    const text = (await secret.textContent()) ?? ''
    expect(text).toMatch(/^whsec_/)
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(text)

    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('delivered, 204').waitFor()
    receiver.verify(receiver.received.at(-1)!, text)
    expect(await axe(page)).toEqual([])

    await page.getByRole('button', { name: 'Replace secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click()
    await secret.waitFor()
    expect(await secret.textContent()).not.toBe(text)
    await page.getByText('For a day, deliveries are signed with the former secret too.').waitFor()

    await page.getByRole('button', { name: 'Delete 127.0.0.1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('None yet. A webhook posts a message').waitFor()
  })

  it('fit a narrow and a wide page in both themes, with long URLs, a failure and one that is switched off', async () => {
    const url = `${receiver.url}/${'long/'.repeat(60)}`
    const all = { url, events: ['run.ingested', 'run.regressed', 'run.recovered', 'suite.changed', 'run.deleted'] }
    const made = (await (await call('POST', '/webhooks', { ...all, project: 'p'.repeat(200) })).json()) as {
      id: string
    }
    receiver.status(410)
    await call('POST', `/webhooks/${made.id}/test`, {})
    const disabledAt = async (): Promise<string | null | undefined> => {
      const answer = await fetch(`${server.url}/api/v1/webhooks`, { headers: { authorization: `Bearer ${session}` } })
      return ((await answer.json()) as { webhooks: Array<{ disabled_at: string | null }> }).webhooks.at(-1)?.disabled_at
    }
    await expect.poll(disabledAt).not.toBeNull()
    const { page } = await open()
    await page.getByText('Switched off').first().waitFor()
    await page.getByRole('button', { name: 'Deliveries' }).first().click()
    await page.getByText('given up, 410, refused').waitFor()
    await page.getByRole('button', { name: 'Make a webhook' }).click()
    for (const [width, colorScheme] of [
      [390, 'light'],
      [390, 'dark'],
      [1280, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      expect(await axe(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
    }
    await call('DELETE', `/webhooks/${made.id}`)
    receiver.status(204)
  })
})
