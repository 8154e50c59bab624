import { mount } from '@vue/test-utils'
import { afterEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import RelativeTime from '../../../webapp/components/RelativeTime.vue'
import { useDisplay } from '../../../webapp/composables/use-display.ts'

const { density, times, chooseDensity, chooseTimes } = useDisplay()
afterEach(() => {
  chooseDensity('comfortable')
  chooseTimes('relative')
})

it('density and times are stored in the browser, except the defaults', () => {
  chooseDensity('compact')
  chooseTimes('utc')
  expect([density.value, times.value]).toEqual(['compact', 'utc'])
  expect(document.documentElement.dataset['density']).toBe('compact')
  expect([localStorage.getItem('density'), localStorage.getItem('times')]).toEqual(['compact', 'utc'])
  chooseDensity('comfortable')
  chooseTimes('relative')
  expect(document.documentElement.dataset['density']).toBeUndefined()
  expect([localStorage.getItem('density'), localStorage.getItem('times')]).toEqual([null, null])
})

it('times are shown as chosen, at once, and the exact time stays in the text for screen readers', async () => {
  const time = mount(RelativeTime, { props: { time: '2020-05-04T09:00:12+00:00' } })
  expect(time.text()).toMatch(/^2020-05-04 \(2020-05-04 09:00:12 UTC/)
  chooseTimes('utc')
  await nextTick()
  expect(time.text()).toMatch(/^2020-05-04 09:00 UTC \(2020-05-04 09:00:12 UTC/)
  chooseTimes('local')
  await nextTick()
  expect(time.text()).toMatch(/^2020-05-0\d \d\d:\d\d \(/)
})
