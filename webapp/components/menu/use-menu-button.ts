import { computed, reactive, readonly, ref, useId, type Component, type ShallowRef } from 'vue'
import { useLazyPart } from '../../composables/lazy/use-lazy-part.ts'

/** The menu of a button: `MenuList` shows it. */
export type MenuState = {
  readonly isOpen: boolean
  readonly setOpen: (on: boolean) => void
  /** Opens the menu as a key does. */
  readonly show: () => void
  readonly button: HTMLElement | null
  /** Opened with a key, so the first item has the focus. */
  readonly byKeyboard: boolean
}

/**
 * A button that opens a menu, whose script loads when the button is first pointed at, focused or pressed. `trigger` has
 * the attributes of the button. `part` is the loaded menu, a component around `MenuList`.
 */
export const useMenuButton = (
  button: Readonly<ShallowRef<HTMLElement | null>>,
  load: () => Promise<{ readonly default: Component }>,
  failure: string,
) => {
  const id = useId()
  const { part, isOpen, open, preload } = useLazyPart(load, failure)
  const byKeyboard = ref(false)
  const show = (withKeyboard: boolean): void => {
    byKeyboard.value = withKeyboard
    open()
  }
  const trigger = computed(() => ({
    id,
    type: 'button' as const,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': isOpen.value,
    'aria-controls': isOpen.value && part.value ? `${id}-menu` : undefined,
    onPointerenter: preload,
    onFocus: preload,
    // A click of the keyboard has no count.
    onClick: ({ detail }: MouseEvent) => (isOpen.value ? (isOpen.value = false) : show(detail === 0)),
    onKeydown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      show(true)
    },
  }))
  const menu: MenuState = reactive({
    isOpen,
    setOpen: (on: boolean) => void (isOpen.value = on),
    show: () => show(true),
    button,
    byKeyboard: readonly(byKeyboard),
  })
  return { part, trigger, menu }
}
