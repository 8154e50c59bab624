import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { mount } from '@vue/test-utils'
import { defineComponent, h, type Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { describe, expect, it, vi } from 'vitest'
import CaseMedia from '../../../../webapp/components/evidence/CaseMedia.vue'
import FoldedText from '../../../../webapp/components/text/FoldedText.vue'
import JsonTree from '../../../../webapp/components/text/JsonTree.vue'
import MediaButton from '../../../../webapp/components/text/MediaButton.vue'
import { mediaIn } from '../../../../webapp/components/markdown/media.ts'
import { partDigest, provideParts } from '../../../../webapp/evidence/case-parts.ts'
import { hasMedia } from '../../../../webapp/text/markdown/has-markdown.ts'
import { refetcher } from '../../../../webapp/live/refetch.ts'

const DIGESTS = { picture: '1', huge: '2', sound: '3', report: '4', absent: '5' } as const
const digest = (name: keyof typeof DIGESTS): string => DIGESTS[name].repeat(64)
const naming = (name: keyof typeof DIGESTS): string => `part:${digest(name)}`

/** The header of a PNG of a width and a height. */
const png = (side: number): Uint8Array => {
  const bytes = new Uint8Array(33)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  new DataView(bytes.buffer).setUint32(16, side)
  new DataView(bytes.buffer).setUint32(20, side)
  return bytes
}
const FILES: Readonly<Record<string, { readonly type: string; readonly bytes: Uint8Array }>> = {
  [digest('picture')]: { type: 'image/png', bytes: png(3) },
  [digest('huge')]: { type: 'image/png', bytes: png(40_000) },
  [digest('sound')]: { type: 'audio/wav', bytes: new Uint8Array(8) },
  [digest('report')]: { type: 'application/octet-stream', bytes: new Uint8Array(8) },
}

/** Answers as a server whose case `c` of run `r` has the files. Returns the paths that were asked for. */
const serve = (status = 200): string[] => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    if (url === '/api/v1/runs/r/cases/c/parts')
      return Response.json(
        {
          error: 'busy',
          parts: Object.entries(FILES).map(([sha256, { bytes }]) => ({
            ...{ sha256, bytes: bytes.length, role: 'output', case_key: 'c' },
            ...{ name: `file ${sha256[0]}`, media_type: null, from: null },
          })),
        },
        { status },
      )
    const file = FILES[url.split('/').at(-1) ?? '']
    return file
      ? new Response(file.bytes.slice(), { headers: { 'content-type': file.type } })
      : Response.json({ error: 'not found' }, { status: 404 })
  })
  return asked
}

/** Mounts a component on the page of the case, or of one without evidence. */
const show = (
  component: Component,
  props: object,
  of: { id: string; case_key: string } | null = CASE,
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } }),
) => {
  const page = defineComponent({
    setup() {
      provideParts(() => of)
      return () => h(component, props)
    },
  })
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/', component: page },
      { path: '/runs/:id/cases/:case_key', name: 'case', component: page },
    ],
  })
  return mount(page, { global: { plugins: [router, [VueQueryPlugin, { queryClient }]] } })
}
const CASE = { id: 'r', case_key: 'c' }
const text = (stored: string) => [FoldedText, { text: stored, label: 'the output', lines: 4 }] as const

describe('a text that names a part of the case', () => {
  it('is shown as the picture, with a link to the attachment; the parts are asked for once', async () => {
    const asked = serve()
    const page = show(JsonTree, { value: { image_url: { url: naming('picture') }, part: naming('picture') } })
    await expect.poll(() => page.findAll('img').length).toBe(2)
    expect(page.get('img').attributes()).toMatchObject({
      src: `/api/v1/runs/r/parts/${digest('picture')}`,
      alt: 'file 1',
    })
    expect(page.get('a').attributes('href')).toBe(`/runs/r/cases/c?view=attachments&part=${digest('picture')}`)
    expect(page.text()).not.toContain('part:')
    expect(asked.filter((url) => url.endsWith('/cases/c/parts'))).toHaveLength(1)
  })

  it('is looked for again when the run gets more evidence', async () => {
    const asked = serve()
    const client = new QueryClient()
    show(...text(naming('absent')), CASE, client)
    await expect.poll(() => asked.length).toBe(1)
    const { apply } = refetcher(client)
    const changed = (run: string): void =>
      apply({ kind: 'changed', change: { runs: [{ id: run, project: null, suite: null }], baselines: [], sets: [] } })
    changed('another')
    expect(asked.length).toBe(1)
    changed(CASE.id)
    await expect.poll(() => asked.length).toBe(2)
  })

  it('is a button where the picture may take much memory', async () => {
    serve()
    const page = show(...text(naming('huge')))
    await expect.poll(() => page.text()).toContain('Show this large picture, 40,000 × 40,000 pixels')
    expect(page.findAll('img')).toHaveLength(0)
    // Nothing that may have the focus is cut off.
    expect(page.findAll('.folded, .clamp')).toHaveLength(0)
  })

  it('is a player of a sound, and a file to save otherwise', async () => {
    serve()
    const sound = show(...text(naming('sound')))
    await expect.poll(() => sound.findAll('audio').length).toBe(1)
    expect(sound.get('audio').attributes('src')).toBe(`/api/v1/runs/r/parts/${digest('sound')}`)
    const report = show(...text(naming('report')))
    await expect.poll(() => report.findAll('a[download]').length).toBe(1)
    expect(report.get('a[download]').text()).toBe('file 4')
  })

  it('stays a text where the case does not list the part, or has no evidence, and says so if the list is not there', async () => {
    const asked = serve()
    const other = show(...text(naming('absent')))
    await expect.poll(() => asked).toEqual(['/api/v1/runs/r/cases/c/parts'])
    await expect.poll(() => other.text()).toBe(naming('absent'))
    const without = show(FoldedText, { ...text(naming('picture'))[1] }, null)
    expect(without.text()).toBe(naming('picture'))
    expect(asked).toHaveLength(1)
    serve(503)
    const failed = show(...text(naming('picture')))
    await expect.poll(() => failed.text()).toContain('The attachments of the case could not be loaded.')
    expect(failed.text()).toContain(naming('picture'))
  })

  it.each(['a part:', ` ${naming('picture')}`, `${naming('picture')}\n`, naming('picture').slice(0, -1), 'PART:'])(
    'is nothing but that: %j',
    (stored) => expect(partDigest(stored)).toBe(null),
  )
})

describe('parts that are named within a text', () => {
  it.each([
    ['JSON', JSON.stringify([{ type: 'image', part: naming('picture') }])],
    ['blocks of a message', `What is it?\n\n${naming('picture')}`],
    ['Markdown', `![a map](${naming('picture')})`],
  ])('are shown below it after a press: %s', async (_, stored) => {
    serve()
    const page = show(MediaButton, { text: stored, value: stored })
    await page.get('button').trigger('click')
    await expect.poll(() => page.findAll('img').length).toBe(1)
  })

  it('are not looked for within a line', () => expect(mediaIn(`see ${naming('picture')}, above`)).toEqual([]))

  it('are shown at once where several cases are on the page, each of its own run', async () => {
    const asked = serve()
    const page = show(CaseMedia, { ...CASE, text: JSON.stringify({ image: naming('picture') }) }, null)
    await expect.poll(() => page.findAll('img').length).toBe(1)
    expect(asked).toContain('/api/v1/runs/r/cases/c/parts')
    expect(show(CaseMedia, { ...CASE, text: 'no part' }).text()).toBe('')
  })
})

describe('a text with the name of a part', () => {
  const name = naming('picture')
  it.each([
    ['on its first line', `${name}\nmore`, true],
    ['on its last line', `more\n${name}`, true],
    ['in JSON', JSON.stringify({ screen: name, log: `more\n${name}` }), true],
    ['in Markdown', `![screen](${name})`, true],
    ['alone, which is shown without a press', name, false],
    ['within a sentence', `see ${name} there`, false],
    ['in upper case', `more\n${name.toUpperCase()}`, false],
  ])('has files to be shown if the name is %s', (_where, text, wanted) => expect(hasMedia(text)).toBe(wanted))
})
