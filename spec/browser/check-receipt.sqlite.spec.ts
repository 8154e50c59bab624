import { gzipSync } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axe, openBrowser, setUp, THEMES } from '../support/browser.ts'
import { digestOf, manifestOf } from '../support/documents/parts.ts'
import { LOG_VKEY, OPENING, RECEIPT, WITNESS_LINE, WITNESS_VKEY } from '../support/proof/check-value.ts'
import { bodyWith, soleReceipt } from '../support/proof/receipts.ts'
import { startServer } from '../support/servers/server.ts'

const ONE_FILE = new URL('../../webapp/dist/check-receipt.html', import.meta.url)
const POLICY = `log ${LOG_VKEY}\nwitness w ${WITNESS_VKEY}\nquorum w\n`
afterAll(() => server.stop())

type Opened = {
  readonly context: BrowserContext
  readonly page: Page
  readonly requests: string[]
  readonly complaints: string[]
}

/**
 * Opens the page in a window of its own, and keeps the addresses that it asks for. `before` runs in the page first; `keys`
 * are what the server says are its keys.
 */
const open = async (url: string, { before = '', keys = '' } = {}): Promise<Opened> => {
  const context = await browser.newContext({ viewport: { width: 1024, height: 800 }, reducedMotion: 'reduce' })
  context.setDefaultTimeout(120_000)
  if (before !== '') await context.addInitScript(before)
  await context.route('**/api/v1/log/keys', (route) =>
    keys === '' ? route.fulfill({ status: 404 }) : route.fulfill({ contentType: 'text/plain', body: `${keys}\n` }),
  )
  const page = await context.newPage()
  const [requests, complaints]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  await page.getByLabel('Verifier keys').waitFor()
  return { context, page, requests, complaints }
}

const choose = (page: Page, label: string, content: string | Uint8Array) =>
  page.getByLabel(label).setInputFiles({ name: 'file', mimeType: 'text/plain', buffer: Buffer.from(content) })

/** The heading and the text of the result. */
const outcome = async (page: Page, heading: RegExp): Promise<string> => {
  await page.getByRole('heading', { name: heading }).waitFor()
  return (
    await page
      .getByRole('status')
      .filter({ has: page.locator('h2') })
      .innerText()
  ).replaceAll(/\s+/g, ' ')
}

/** Checks good and bad receipts in an opened page. */
const checkAll = async (page: Page): Promise<void> => {
  await choose(page, 'Receipt', RECEIPT)
  expect(await outcome(page, /^Not checked$/)).toContain('Paste the verifier key')
  await page.getByLabel('Verifier keys').fill(LOG_VKEY)
  const good = await outcome(page, /The receipt is good/)
  expect(good).toContain('Record Run uploaded number 2 of 3')
  expect(good).toContain('Run a/b')
  expect(good).toContain('Log results.example/log')
  expect(good).toContain('Document not given')
  expect(good).toContain('Give the document too')
  expect(good).toContain('No witness was required')

  // Several files are sorted by their content, whatever they are called.
  const named = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.getByLabel('Receipt').setInputFiles([named('a', '{}'), named('b', RECEIPT)])
  await expect.poll(() => outcome(page, /The receipt is good/)).toContain('Document the one that you gave')
  await choose(page, 'Document', gzipSync('{}'))
  await expect.poll(() => outcome(page, /The receipt is good/)).toContain('Document the one that you gave')
  await choose(page, 'Document', gzipSync('{}').subarray(0, 15))
  expect(await outcome(page, /^Not checked$/)).toContain('damaged, or has several parts')
  await choose(page, 'Document', '[]')
  await expect.poll(() => outcome(page, /Altered$/)).toMatch(/This document is not the one[^]+SHA-256 of 2 bytes/)
  await choose(page, 'Document', '{}')
  await outcome(page, /The receipt is good/)

  await choose(page, 'Witness policy', POLICY)
  await expect.poll(() => outcome(page, /The receipt is good/)).toContain('witness.example/w1 2026-05-04 09:01:40 UTC')
  expect(await outcome(page, /The receipt is good/)).not.toContain('What would show more')
  await choose(page, 'Receipt', RECEIPT.replace(`${WITNESS_LINE}\n`, ''))
  expect(await outcome(page, /Not witnessed$/)).toContain('No witness of the policy has signed')
  await choose(page, 'Receipt', RECEIPT.replace('TybuyYHd', 'TybuyYHe'))
  expect(await outcome(page, /Not trusted$/)).toContain('is wrong')
  await choose(page, 'Receipt', RECEIPT.replace('index 1', 'index 0'))
  expect(await outcome(page, /Altered$/)).toContain('do not give the root')
  await choose(page, 'Receipt', RECEIPT.replace('index 1', 'index 01'))
  expect(await outcome(page, /Not a receipt$/)).toContain('index')
  await choose(page, 'Receipt', Buffer.alloc(300_000, 'a'))
  await expect.poll(() => outcome(page, /Not a receipt$/)).toContain('256 KiB')
  await choose(page, 'Receipt', RECEIPT)
  await outcome(page, /The receipt is good/)
  await page.getByLabel('Verifier keys').fill('PRIVATE+KEY+a+00000000+AAAA')
  expect(await outcome(page, /Not a verifier key$/)).toContain('private key')
  await page.getByLabel('Verifier keys').fill(LOG_VKEY)
  await choose(page, 'Witness policy', 'quorum none none')
  await outcome(page, /Not a witness policy$/)
}

/** Removes `crypto.subtle`, as pages over plain http have none. */
const WITHOUT_SUBTLE = "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })"
/** Older browsers have `crypto.subtle`, but no Ed25519. */
const WITHOUT_ED25519 = `
  const importKey = SubtleCrypto.prototype.importKey
  SubtleCrypto.prototype.importKey = function (format, data, algorithm, ...rest) {
    return algorithm.name === 'Ed25519'
      ? Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'))
      : importKey.call(this, format, data, algorithm, ...rest)
  }`
const [browser, server] = await Promise.all([openBrowser(), startServer({ env: { SERVICE_AUTH_MODE: 'closed' } })])
await setUp(server.url)

describe('the page that checks receipts', () => {
  it.each([
    ['by WebCrypto', ''],
    ['without crypto.subtle', WITHOUT_SUBTLE],
    ['without Ed25519', WITHOUT_ED25519],
  ])('needs no account, tells good from bad %s, and sends nothing', async (_, before) => {
    const { context, page, requests, complaints } = await open(`${server.url}/check-receipt`, { before })
    await page.waitForLoadState('networkidle')
    requests.length = 0
    await checkAll(page)
    expect([requests, complaints]).toEqual([[], []])
    await context.close()
  })

  it('offers the keys of the server, and says so until they are replaced', async () => {
    const { context, page } = await open(`${server.url}/check-receipt`, { keys: LOG_VKEY })
    await page.getByText('says the server itself').waitFor()
    expect(await page.getByLabel('Verifier keys').inputValue()).toBe(LOG_VKEY)
    await choose(page, 'Receipt', RECEIPT)
    await outcome(page, /^✓ Good, by the key that this server names\. Compare it with the one you were given\.$/)
    expect(await page.locator('.panel.good').count()).toBe(0)
    // The same key, together with another one that the server does not name.
    await page.getByLabel('Verifier keys').fill(`${LOG_VKEY}\n${WITNESS_VKEY}`)
    await outcome(page, /The receipt is good/)
    await page.getByLabel('Verifier keys').fill(WITNESS_VKEY)
    expect(await outcome(page, /Not trusted$/)).toContain('None of the given keys belongs to the log')
    expect(await page.getByText('says the server itself').count()).toBe(0)
    await context.close()
  })

  it('takes files that are dropped, sorted by their content', async () => {
    const { context, page } = await open(`${server.url}/check-receipt`)
    await page.getByLabel('Verifier keys').fill(LOG_VKEY)
    await page.evaluate(
      `(() => {
        const files = new DataTransfer()
        files.items.add(new File(['{}'], 'run.json'))
        files.items.add(new File([${JSON.stringify(RECEIPT)}], 'receipt'))
        document.querySelector('form').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))
      })()`,
    )
    await expect.poll(() => outcome(page, /The receipt is good/)).toContain('Document the one that you gave')
    expect(await page.getByLabel('Receipt').inputValue()).toMatch(/receipt$/)
    expect(await page.getByLabel('Document').inputValue()).toMatch(/run\.json$/)
    await context.close()
  })

  it('shows nothing of earlier files while it checks, and says so if it cannot finish', async () => {
    const { context, page } = await open(`${server.url}/check-receipt`)
    await page.getByLabel('Verifier keys').fill(LOG_VKEY)
    await choose(page, 'Receipt', RECEIPT)
    await outcome(page, /The receipt is good/)
    await page.evaluate(
      `Blob.prototype.arrayBuffer = () => new Promise((_, reject) => { globalThis.breakOff = () => reject(new RangeError('too much')) })`,
    )
    await choose(page, 'Receipt', RECEIPT)
    await page.getByText('Checking…').waitFor()
    expect(await page.getByRole('heading', { name: /The receipt is good/ }).count()).toBe(0)
    await page.evaluate('breakOff()')
    expect(await outcome(page, /Not checked/)).toContain(
      'This browser could not finish the check: RangeError: too much',
    )
    await context.close()
  })

  it('is offered as one file, which is downloaded and not shown', async () => {
    const answer = await fetch(`${server.url}/check-receipt.html`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="check-receipt.html"')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(await answer.text()).toMatch(/^<!doctype html>[^]+Content-Security-Policy" content="default-src 'none'/)
  })
})

describe('the one file', () => {
  it.each([
    ['by WebCrypto', ''],
    ['without crypto.subtle', WITHOUT_SUBTLE],
  ])('tells good from bad %s, and asks for nothing but itself', async (_, before) => {
    const { context, page, requests } = await open(ONE_FILE.href, { before })
    await checkAll(page)
    expect(requests).toEqual([ONE_FILE.pathname])
    await context.close()
  })

  it('is not allowed to send anything, or to run another script', async () => {
    const { context, page } = await open(ONE_FILE.href)
    const refusals = await page.evaluate<string[]>(
      `(async () => {
        const found = []
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective))
        await fetch('${server.url}/health').catch(() => undefined)
        const image = document.createElement('img')
        image.src = '${server.url}/favicon.ico'
        const script = document.createElement('script')
        script.textContent = 'globalThis.ran = true'
        document.body.append(image, script)
        while (found.length < 3) await new Promise((done) => addEventListener('securitypolicyviolation', done, { once: true }))
        return [...found.sort(), String(globalThis.ran)]
      })()`,
    )
    expect(refusals).toEqual(['connect-src', 'img-src', 'script-src-elem', 'undefined'])
    await context.close()
  })

  it('has no fault that axe finds', async () => {
    const { context, page } = await open(ONE_FILE.href)
    await page.getByLabel('Verifier keys').fill(LOG_VKEY)
    await choose(page, 'Receipt', RECEIPT)
    await outcome(page, /The receipt is good/)
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      expect(await axe(page)).toEqual([])
    }
    await choose(page, 'Receipt', RECEIPT.replace('index 1', 'index 0'))
    await outcome(page, /Altered$/)
    expect(await axe(page)).toEqual([])
    await context.close()
  })
})

describe('evidence on the page that checks receipts', () => {
  const FIRST = Buffer.from('the first part')
  const SECOND = Buffer.from('the second part')
  const MANIFEST = manifestOf([
    { bytes: FIRST, role: 'original', name: 'first.log' },
    { bytes: SECOND, role: 'original', name: 'second.log' },
  ])
  const evidence = {
    manifest_bytes: MANIFEST.length,
    manifest_sha256: digestOf(MANIFEST),
    part_bytes: 29,
    part_count: 2,
  }
  const { data } = JSON.parse(OPENING.body) as { data: { project: string; suite: string } }
  // The members of a record are in the order of their names.
  const { project, suite, ...document } = data
  const record = { ...document, evidence, project, suite }
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

  it('is good, altered or missing, each part by its name', async () => {
    const { receipt, vkey } = await soleReceipt({ body: bodyWith({ data: record }) })
    const { page } = await open(`${server.url}/check-receipt`)
    await page.getByLabel('Verifier keys').fill(vkey)
    await choose(page, 'Receipt', receipt)
    expect(await outcome(page, /The receipt is good/)).toContain('Give the manifest and the parts')
    // What an export has, at once.
    await page
      .getByLabel('Receipt')
      .setInputFiles([
        file('run.tlog-proof', Buffer.from(receipt)),
        file('manifest-0.json', MANIFEST),
        file(digestOf(FIRST), FIRST),
        file(digestOf(SECOND), SECOND),
        file('manifest-sha256.txt', Buffer.from('x')),
      ])
    await expect.poll(() => outcome(page, /The receipt is good/)).toContain('Evidence 2 of 2 parts given, as recorded')
    await page.getByLabel('Parts').setInputFiles([file('first.log', FIRST)])
    const missing = await outcome(page, /Parts are missing/)
    expect(missing).toContain('1 of 2 parts missing')
    expect(missing).toContain(digestOf(SECOND))
    expect(missing).toContain('second.log')
    await page
      .getByLabel('Parts')
      .setInputFiles([file(digestOf(FIRST), SECOND), file(digestOf(SECOND), SECOND), file('other', HUNDRED)])
    const altered = await outcome(page, /Altered$/)
    expect(altered).toContain(`${digestOf(FIRST)} not the part that was recorded`)
    expect(altered).toContain('other no part of the manifest')
    await choose(page, 'Manifest', manifestOf([]))
    await expect.poll(() => outcome(page, /Altered$/)).toContain('is not the manifest that was recorded')
  })
})

const HUNDRED = Buffer.alloc(100)
