/* global window, document, getComputedStyle, innerWidth, innerHeight, requestAnimationFrame */
// What the specs of every page ask of a page, as functions of `window.everyPage`. A page has no other script of theirs.
;(() => {
  const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]'

  const describe = (element) => {
    const label = element.getAttribute('aria-label') ?? element.innerText ?? element.textContent ?? ''
    const classes = [...element.classList].map((name) => `.${name}`).join('')
    return `${element.tagName.toLowerCase()}${classes} “${label.trim().replaceAll(/\s+/g, ' ').slice(0, 40)}”`
  }
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0
  const ancestors = (element) => {
    const found = []
    for (let at = element.parentElement; at; at = at.parentElement) found.push(at)
    return found
  }

  const openDialog = () =>
    [...document.querySelectorAll('[aria-modal=true], [data-modal]')].filter(isShown).at(-1) ?? null
  /** The elements that Tab must reach: those of the open dialog, or of the page. */
  const tabStops = () => {
    return [...(openDialog() ?? document).querySelectorAll(FOCUSABLE)].filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.disabled &&
        !element.closest('[inert]') &&
        isShown(element) &&
        // Tab reaches the chosen radio button of a group.
        (element.type !== 'radio' || element.checked),
    )
  }

  const overlap = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  /** The part of the window in which an element can be seen: without what its ancestors clip. */
  const seenArea = (element) => {
    let area = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
    let { position } = getComputedStyle(element)
    for (const ancestor of ancestors(element)) {
      if (position === 'fixed') break
      const style = getComputedStyle(ancestor)
      // An absolute element is not clipped by what does not position it.
      if (position === 'absolute' && style.position === 'static') continue
      position = style.position
      if (ancestor === document.body || ancestor === document.documentElement) break
      if (style.overflowX !== 'visible' || style.overflowY !== 'visible')
        area = overlap(area, ancestor.getBoundingClientRect())
    }
    return area
  }
  /** The shown stand-in of a control that is only there for the keyboard: its label. */
  const shownFor = (element) => {
    const { width, height } = element.getBoundingClientRect()
    if (width > 2 && height > 2 && getComputedStyle(element).opacity !== '0') return element
    return element.labels?.[0] ?? element.closest('label') ?? element.nextElementSibling ?? element
  }

  const ringOf = (element) => {
    // Its handle has the ring, and a page cannot read the style of a handle.
    if (element.type === 'range') return { one: element, reach: 0 }
    // In a drawing, a stroke is the ring.
    const drawn = element.ownerSVGElement
      ? [...element.children].find((child) => {
          const { stroke, strokeWidth } = getComputedStyle(child)
          return stroke !== 'none' && Number.parseFloat(strokeWidth) >= 2
        })
      : undefined
    if (drawn) return { one: drawn, reach: 0 }
    const near = [element, ...ancestors(element).slice(0, 4), element.nextElementSibling, ...element.children]
    for (const one of near) {
      if (!one) continue
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one)
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2)
        return { one, reach: Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth) / 2 }
    }
    return null
  }
  const ringFault = (element) => {
    const ring = ringOf(element)
    if (!ring) return 'has no focus ring'
    const area = seenArea(ring.one)
    const rect = ring.one.getClientRects()[0]
    const sides = [
      rect.left - ring.reach >= area.left - 1,
      rect.top - ring.reach >= area.top - 1,
      rect.right + ring.reach <= area.right + 1,
      rect.bottom + ring.reach <= area.bottom + 1,
    ]
    return sides.filter(Boolean).length < 2 ? 'has a focus ring that is cut off' : null
  }
  const placeFault = (focused) => {
    const element = shownFor(focused)
    const [rect] = element.getClientRects()
    if (!rect) return 'has no place on the page'
    const seen = overlap(rect, seenArea(element))
    const [width, height] = [seen.right - seen.left, seen.bottom - seen.top]
    if (width <= 0 || height <= 0) return 'is not in the window'
    // What is larger than the window must fill half of it.
    if (width + 2 < Math.min(rect.width, innerWidth / 2) || height + 2 < Math.min(rect.height, innerHeight / 2))
      return `is cut off: ${Math.round(width)} of ${Math.round(rect.width)} × ${Math.round(height)} of ${Math.round(rect.height)} px`
    const [x, y] = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2]
    const edges = [seen.top + Math.min(3, height / 2), seen.bottom - Math.min(3, height / 2)]
    // What does not fit into the window lies partly under what stays.
    const points = [[x, y], ...(height < innerHeight / 2 ? edges.map((edge) => [x, edge]) : [])]
    // The handles of two ranges lie on one line, and only they take clicks.
    if (element.type === 'range') return null
    const covers = points
      .map(([left, top]) => document.elementFromPoint(left, top))
      .filter((hit) => hit && !element.contains(hit) && !hit.contains(element))
    return covers.length > 0 ? `is under ${describe(covers[0])}` : null
  }

  let visited = new Set()
  let expected = []
  let faults = []
  /** Begins a walk before the first or after the last element of the page. In a dialog it begins at the focus. */
  const startWalk = async (backwards) => {
    visited = new Set()
    faults = []
    expected = tabStops()
    if (!openDialog()) {
      const edge = expected.at(backwards ? -1 : 0)
      edge?.focus()
      if (document.activeElement === edge) await step()
    }
    return expected.length
  }
  const faultsOf = (element) => [placeFault(element), ringFault(element)].filter(Boolean)
  /** The focused element, if the walk reaches it for the first time; else null: the walk is at its end. */
  const nextStop = () => {
    const element = document.activeElement
    if (!element || element === document.body) {
      if (openDialog()) faults.push('Tab leaves the dialog')
      return null
    }
    if (visited.has(element)) return null
    visited.add(element)
    return element
  }
  /** Notes what is wrong with the focused element. Returns whether the walk is at its end. */
  const step = async () => {
    const element = nextStop()
    if (!element) return true
    // Lists place their rows in the next frame.
    if (faultsOf(element).length > 0) await frame()
    if (document.activeElement !== element) faults.push(`${describe(element)} loses the focus`)
    else faults.push(...faultsOf(element).map((fault) => `${describe(element)} ${fault}`))
    return false
  }
  let state = 'walking'
  /** Walks with the keys that follow, which need not wait for each other. Returns how many stops there are. */
  const startKeys = async (backwards) => {
    state = 'over'
    const stops = await startWalk(backwards)
    state = 'walking'
    return stops
  }
  /** `walking`; `over`; or `unsure` if an element had a fault at once, so that only `step` can tell. */
  const walkState = () => state
  document.addEventListener(
    'keyup',
    ({ key }) => {
      if (key !== 'Tab' || state !== 'walking') return
      const element = nextStop()
      if (!element) state = 'over'
      else if (faultsOf(element).length > 0) state = 'unsure'
    },
    true,
  )
  const endWalk = () => {
    const stops = new Set(tabStops())
    // A group with one stop passes the focus on to that.
    const isVisited = (element) => [...visited].some((one) => element.contains(one))
    const missed = expected.filter((element) => stops.has(element) && !isVisited(element))
    return [...faults, ...missed.map((element) => `${describe(element)} is not reached by Tab`)]
  }

  /** The share of the window that stays when the page scrolls. */
  const fixedShare = () => {
    const steps = Array.from({ length: 10 }, (_, n) => (n + 0.5) / 10)
    const hits = steps.flatMap((x) => steps.map((y) => document.elementFromPoint(x * innerWidth, y * innerHeight)))
    const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowY)
    // What is sticky in a part that scrolls by itself moves with that part.
    const stays = (element) => {
      const { position } = getComputedStyle(element)
      return position === 'fixed' || (position === 'sticky' && !ancestors(element).some(scrolls))
    }
    const isFixed = (element) => element !== null && [element, ...ancestors(element)].some(stays)
    return hits.filter(isFixed).length / hits.length
  }

  /** What moves although the user wants no motion. */
  const motion = () => {
    const seconds = (list) => Math.max(...list.split(',').map((time) => Number.parseFloat(time)))
    const moving = [...document.querySelectorAll('body, body *')].filter((element) => {
      const style = getComputedStyle(element)
      return seconds(style.transitionDuration) > 0 || seconds(style.animationDuration) > 0
    })
    return [
      ...moving.map((element) => `${describe(element)} moves`),
      ...document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration ?? 0) > 0)
        .map(({ id, playState }) => `an animation runs: ${id} ${playState}`),
    ]
  }

  const STATES = ['aria-current', 'aria-selected', 'aria-pressed', 'aria-checked']
  const LINES = [
    ...['Top', 'Right', 'Bottom', 'Left'].flatMap((side) =>
      ['Color', 'Width', 'Style'].map((what) => `border${side}${what}`),
    ),
    ...['outlineStyle', 'outlineColor', 'outlineWidth'],
  ]
  const linesOf = (style) => LINES.map((property) => style[property]).join()
  /** How an element differs without its text: its lines, colours and icons, and what is drawn before and after it. */
  const lookOf = (element) => {
    const drawn = ['::before', '::after'].map((part) => {
      const style = getComputedStyle(element, part)
      const isEmpty =
        style.content === 'none' || (style.content === '""' && Number.parseFloat(style.borderBottomWidth) === 0)
      return isEmpty ? '' : `${style.content} ${linesOf(style)}`
    })
    const style = getComputedStyle(element)
    const colours = ['backgroundColor', 'backgroundImage', 'color', 'textDecorationLine'].map(
      (property) => style[property],
    )
    return [linesOf(style), ...colours, ...drawn, element.querySelectorAll('svg').length].join('|')
  }
  const isOn = (element, state) => !['false', 'mixed', null].includes(element.getAttribute(state))
  /** What can no longer be told apart, for the forced colours of the system. */
  const alike = () => {
    const found = []
    for (const state of STATES)
      for (const chosen of document.querySelectorAll(`[${state}]`)) {
        if (!isOn(chosen, state) || !isShown(chosen) || chosen === document.activeElement) continue
        const others = [...(chosen.parentElement?.children ?? [])].filter(
          (other) =>
            other.tagName === chosen.tagName &&
            !isOn(other, state) &&
            isShown(other) &&
            !other.disabled &&
            other !== document.activeElement,
        )
        if (others.length > 0 && others.every((other) => lookOf(other) === lookOf(chosen)))
          found.push(`${describe(chosen)} looks like the others, without ${state}`)
      }
    for (const button of document.querySelectorAll('.btn, .inp, .cb'))
      if (
        isShown(button) &&
        !['Top', 'Bottom'].every((side) => getComputedStyle(button)[`border${side}Style`] !== 'none')
      )
        found.push(`${describe(button)} has no border`)
    for (const mark of document.querySelectorAll('[class*="b-pass"], [class*="b-fail"], [class*="b-error"]')) {
      const { forcedColorAdjust, borderTopStyle, backgroundImage } = getComputedStyle(mark)
      if (
        isShown(mark) &&
        forcedColorAdjust !== 'none' &&
        borderTopStyle === 'none' &&
        backgroundImage === 'none' &&
        mark.innerText.trim() === ''
      )
        found.push(`${describe(mark)} cannot be seen`)
    }
    return found
  }

  window.everyPage = { startWalk, startKeys, walkState, step, endWalk, fixedShare, motion, alike }
})()
