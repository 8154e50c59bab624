// The only script that delays the first paint: without it, the page would first appear in the system's theme. It imports
// nothing, so that it arrives before the app. `composables/use-theme.ts` stores the choice.
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
