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

it('times are shown as chosen, at once, with their zone, and the exact time is in the tooltip', async () => {
  // The zone of the machine that runs this.
  const seconds = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })
  const local = seconds.format(new Date('2020-05-04T09:00:12Z'))
  const time = mount(RelativeTime, { props: { time: '2020-05-04T09:00:12+00:00' } })
  expect(time.text().startsWith(`${local.slice(0, 10)} (${local} `)).toBe(true)
  expect(time.attributes('title')).toContain('2020-05-04 09:00:12 UTC')
  chooseTimes('utc')
  await nextTick()
  expect(time.text()).toMatch(/^2020-05-04 09:00 UTC \(2020-05-04 09:00:12 UTC/)
  chooseTimes('local')
  await nextTick()
  expect(time.text()).toMatch(/^2020-05-0\d \d\d:\d\d \S+ \(/)
  expect(time.text().startsWith(local.slice(0, 16))).toBe(true)
  expect(time.attributes('title')).toContain('2020-05-04 09:00:12 UTC')
})
