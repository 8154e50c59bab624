import { useQuery, VueQueryPlugin } from '@tanstack/vue-query'
import { flushPromises, mount } from '@vue/test-utils'
import { defineComponent, h } from 'vue'
import { afterEach, expect, it } from 'vitest'
import { queryClient } from '../../../webapp/api/query-client.ts'

afterEach(() => queryClient.clear())

it('a response in a component has the values that were received, whatever its keys are called', async () => {
  const received = { counts: JSON.parse('{"hasOwnProperty":1,"constructor":2,"__proto__":3,"toString":4}') as object }
  const Counts = defineComponent(() => {
    const { data } = useQuery({ queryKey: ['counts'], queryFn: () => received })
    return () => h('p', JSON.stringify(Object.entries(data.value?.counts ?? {})))
  })
  const page = mount(Counts, { global: { plugins: [[VueQueryPlugin, { queryClient }]] } })
  await flushPromises()
  expect(page.text()).toBe('[["hasOwnProperty",1],["constructor",2],["__proto__",3],["toString",4]]')
  page.unmount()
})
