/* global window, document, NodeFilter, requestAnimationFrame */
// What a page shows as numbers, as functions of `window.evidence`. A page has no other script of this spec.
;(() => {
  const words = (element) => (element.innerText ?? element.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
  const place = (element) => {
    const classes = [...element.classList].map((name) => `.${name}`).join('')
    return `${element.tagName.toLowerCase()}${classes}`
  }
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getClientRects().length > 0 &&
    element.closest('.sr, title, desc, option') === null

  /** The elements of the main content whose own text has a digit. */
  const numbered = () => {
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    const found = new Set()
    while (walker.nextNode())
      if (/\d/.test(walker.currentNode.data) && isShown(walker.currentNode.parentElement))
        found.add(walker.currentNode.parentElement)
    return [...found]
  }

  /**
   * The numbers of the page: links, the reasons of others, and those that have neither. A stored name is no number, even in
   * a link.
   */
  const numbers = (reasons) => {
    const links = new Map()
    const used = new Set()
    const missing = []
    for (const element of numbered()) {
      const reason = (isOfLink) => reasons.find(({ at, name }) => isOfLink === (name ?? false) && element.closest(at))
      const name = reason(true)
      if (name) {
        used.add(name.at)
        continue
      }
      const link = element.closest('a[href]')
      const other = link ? undefined : reason(false)
      if (link) links.set(link, { href: link.getAttribute('href'), text: words(link) })
      else if (other) used.add(other.at)
      else if (!/^\D*0(?:\.0)?\D*$/.test(words(element)))
        missing.push(`${place(element.parentElement)} > ${place(element)} “${words(element).slice(0, 80)}”`)
    }
    return { links: [...links.values()], used: [...used], missing }
  }

  /** Whether all of the page is there, and what is wrong with it. */
  const state = () => {
    const main = document.querySelector('main')
    const heading = main ? words(main.querySelector('h1') ?? main) : ''
    const fault = main?.querySelector('[role=alert]') ?? null
    return {
      isReady: main !== null && heading !== '' && !document.querySelector('main [aria-busy=true], main .waiting'),
      fault: fault ? words(fault) : /^No such/.test(heading) ? heading : null,
    }
  }

  const rows = (of) => [...document.querySelectorAll(`main ${of} tbody tr[data-index]`)].filter(isShown).length
  const numberIn = (selector) => {
    const element = document.querySelector(`main ${selector}`)
    const [number] = element ? (/\d[\d,]*/.exec(words(element)) ?? []) : []
    return number === undefined ? null : Number(number.replaceAll(',', ''))
  }
  const says = (text) => words(document.querySelector('main')).includes(text)

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const drawn = async () => {
    await frame()
    await frame()
  }
  /** Opens another page of the app, as a press on a link does. */
  const follow = async (path) => {
    await document.querySelector('#app').__vue_app__.config.globalProperties.$router.push(path)
    await drawn()
  }

  window.evidence = { drawn, follow, numbers, state, rows, numberIn, says }
})()
