/** Put in front of an HTML artifact: it only tells height and errors. */

import { keepSaying } from './said'

keepSaying()
