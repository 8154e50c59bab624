import theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

// A link of the configuration would lead to a page of the site.
const link = (href, text) => h('a', { class: 'to-app', href, target: '_self' }, text)
const toApp = () => link('/', 'Open the app')

const notFound = () =>
  h('main', { class: 'not-found' }, [h('h1', 'There is no such page'), h('a', { href: '/docs/' }, 'All pages')])

export default {
  extends: theme,
  Layout: () =>
    h(theme.Layout, null, {
      'nav-bar-content-after': toApp,
      'nav-screen-content-after': toApp,
      'not-found': notFound,
    }),
}
