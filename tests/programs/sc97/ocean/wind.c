/* The wind over each row of the basin: the work of the master, which is not divided. */
#include "ocean.h"

#include <math.h>

enum { WAVES = 24 };

OWN_NAME void wind_of_step(double *wind, int rows, int step)
{
    for (int row = 0; row < rows; row++) {
        double latitude = (row + 0.5) / rows, sum = 0.0;
        for (int wave = 1; wave <= WAVES; wave++)
            sum += sin(wave * (3.0 * latitude + 0.01 * step)) / wave;
        wind[row] = 1e-4 * sum;
    }
}
