import './styles/app.css'
import { applyDensity } from './composables/use-display.ts'
import { applyTheme } from './composables/use-theme.ts'
import { VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import { onUnauthenticated } from './api/api.ts'
import App from './App.vue'
import { queryClient } from './api/query-client.ts'
import { router } from './router.ts'
import { loadSession, signInAddress } from './api/session.ts'

applyTheme()
applyDensity()
// Requested while the first page's script loads; the router waits for it before it shows a page.
loadSession(queryClient).catch(() => undefined)
onUnauthenticated(() => {
  const { meta, fullPath } = router.currentRoute.value
  if (meta.bare) return
  queryClient.clear()
  void router.replace(signInAddress(fullPath))
})

createApp(App).use(router).use(VueQueryPlugin, { queryClient }).mount('#app')
