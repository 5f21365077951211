// This file is somebody else's.

package foreign
