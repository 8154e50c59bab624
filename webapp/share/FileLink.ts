import { defineComponent, h, type PropType } from 'vue'
import { RouterLink, useRouter, type RouteLocationRaw } from 'vue-router'

/** Whether an address is that of a page in the file. */
const isHere = (to: RouteLocationRaw, has: (name: string) => boolean, matches: (path: string) => boolean): boolean => {
  if (typeof to === 'string') return matches(to)
  if ('name' in to && to.name !== undefined) return has(String(to.name))
  return true
}

/**
 * Takes the place of `RouterLink`: the app's components link to pages that the file does not have. Such a link is its text
 * alone, and such a button is not shown.
 */
export const FileLink = defineComponent({
  inheritAttrs: false,
  props: { to: { type: [String, Object] as PropType<RouteLocationRaw>, required: true } },
  setup(props, { attrs, slots }) {
    const router = useRouter()
    const matches = (path: string): boolean => router.resolve(path).name !== undefined
    return () => {
      if (isHere(props.to, (name) => router.hasRoute(name), matches))
        return h(RouterLink, { ...attrs, to: props.to }, slots)
      const { class: given } = attrs
      const classes = typeof given === 'string' ? given.split(' ') : []
      if (classes.includes('btn')) return null
      return h('span', { ...attrs, class: classes.filter((name) => name !== 'link') }, slots['default']?.())
    }
  },
})
