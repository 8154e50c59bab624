import '../styles/app.css'
import { createApp } from 'vue'
import { showFocused } from '../composables/show-focused.ts'
import { applyDensity } from '../composables/use-display.ts'
import { applyTheme } from '../composables/use-theme.ts'
import LabellingApp from './LabellingApp.vue'

applyTheme()
applyDensity()
document.addEventListener('focusin', showFocused)
const [, , queue] = location.pathname.split('/')
createApp(LabellingApp, { queue_id: queue ? decodeURIComponent(queue) : null }).mount('#app')
