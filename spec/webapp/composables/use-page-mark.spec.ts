import { expect, it } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { usePageMark } from '../../../webapp/composables/use-page-mark.ts'

const shown = (): string | undefined => document.documentElement.dataset['mark']

it('the page is marked while a component that covers a part of it exists', async () => {
  const isFull = ref(false)
  const [drawer, bar] = [effectScope(), effectScope()]
  drawer.run(() => usePageMark(() => (isFull.value ? ['docked', 'full'] : ['docked'])))
  bar.run(() => usePageMark(() => ['selection']))
  expect(shown()).toBe('docked selection')
  isFull.value = true
  await nextTick()
  expect(shown()).toBe('docked full selection')
  drawer.stop()
  expect(shown()).toBe('selection')
  bar.stop()
  expect(shown()).toBeUndefined()
})
